from django.apps import AppConfig


class ImportsConfig(AppConfig):
    name = "adjudication.imports"
    label = "imports"
