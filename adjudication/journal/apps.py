from django.apps import AppConfig


class JournalConfig(AppConfig):
    name = "adjudication.journal"
    label = "journal"
