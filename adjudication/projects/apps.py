from django.apps import AppConfig


class ProjectsConfig(AppConfig):
    name = "adjudication.projects"
    label = "projects"
