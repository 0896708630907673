from django.apps import AppConfig


class CorpusConfig(AppConfig):
    name = "adjudication.corpus"
    label = "corpus"
