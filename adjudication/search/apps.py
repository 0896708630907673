from django.apps import AppConfig


class SearchConfig(AppConfig):
    name = "adjudication.search"
    label = "search"
