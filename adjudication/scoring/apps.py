from django.apps import AppConfig


class ScoringConfig(AppConfig):
    name = "adjudication.scoring"
    label = "scoring"
