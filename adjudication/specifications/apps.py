from django.apps import AppConfig


class SpecificationsConfig(AppConfig):
    name = "adjudication.specifications"
    label = "specifications"
