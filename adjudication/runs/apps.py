from django.apps import AppConfig


class RunsConfig(AppConfig):
    name = "adjudication.runs"
    label = "runs"
