from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "adjudication.accounts"
    label = "accounts"
