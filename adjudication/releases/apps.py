from django.apps import AppConfig


class ReleasesConfig(AppConfig):
    name = "adjudication.releases"
    label = "releases"
