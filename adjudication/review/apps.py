from django.apps import AppConfig


class ReviewConfig(AppConfig):
    name = "adjudication.review"
    label = "review"
