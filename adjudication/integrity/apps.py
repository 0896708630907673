from django.apps import AppConfig


class IntegrityConfig(AppConfig):
    name = "adjudication.integrity"
    label = "integrity"
