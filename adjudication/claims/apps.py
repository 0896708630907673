from django.apps import AppConfig


class ClaimsConfig(AppConfig):
    name = "adjudication.claims"
    label = "claims"
