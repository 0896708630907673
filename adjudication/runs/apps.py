from django.apps import AppConfig


class RunsConfig(AppConfig):
    name = "adjudication.runs"
    label = "runs"

    def ready(self) -> None:
        from adjudication.runs.actions import announce_embedded
        from adjudication.search.signals import vectors_settled

        vectors_settled.connect(announce_embedded)
