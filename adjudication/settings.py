"""All settings, read from the environment. What is missing or wrong stops the start, with a reason.

Without DATABASE_URL the embedded services of DATA_DIR are used and nothing needs to be set.
With it, the program uses your servers: DATABASE_URL (the application's role), CELERY_BROKER_URL
and SECRET_KEY are required, and DATABASE_OWNER_URL (the tables' owner) wherever migrations run.
"""

import os
import sys
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

import psycopg.conninfo
from django.core.exceptions import ImproperlyConfigured

from adjudication.embedded import Addresses, CannotStart, DataDirectory
from adjudication.readers import settings as reader_settings
from adjudication.search import settings as embeddings_settings

BASE_DIR = Path(__file__).resolve().parent.parent


def _fail(message: str) -> NoReturn:
    raise ImproperlyConfigured(message)


def _required(name: str, purpose: str) -> str:
    """Return the variable `name`. Raises ImproperlyConfigured saying what it is for."""
    return os.environ.get(name) or _fail(f"Set {name}: {purpose}.")


def _connection(name: str, url: str) -> dict[str, str]:
    """Return the parts of the PostgreSQL URL in the variable `name`, as libpq calls them."""
    try:
        parts = psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        # The driver's own message would show the password.
        _fail(f"{name} is not a PostgreSQL URL: postgresql://user:password@host/database.")
    if not parts.get("user") or not parts.get("dbname"):
        _fail(f"{name} must name a user and a database: postgresql://user:password@host/database.")
    return {key: str(value) for key, value in parts.items()}


# --- Place ---------------------------------------------------------------------------------

DATA_DIR = Path(os.environ.get("DATA_DIR", BASE_DIR / "var")).absolute()
PORT = os.environ.get("PORT", "8000")
if not PORT.isdecimal() or not 0 < int(PORT) < 65536:
    _fail(f"PORT must be a number from 1 to 65535, not {PORT!r}.")

# The address people type; it alone decides the scheme and the host names that are answered.
SITE_URL = os.environ.get("SITE_URL", f"http://localhost:{PORT}").rstrip("/")
_site = urlsplit(SITE_URL)
if _site.scheme not in {"http", "https"} or not _site.hostname or _site.path:
    _fail(f"SITE_URL must look like https://adjudication.example.org, not {SITE_URL!r}.")
HTTPS = _site.scheme == "https"

# --- Servers -------------------------------------------------------------------------------

EMBEDDED = not os.environ.get("DATABASE_URL")
if EMBEDDED:
    for _name in ("DATABASE_OWNER_URL", "CELERY_BROKER_URL"):
        if os.environ.get(_name):
            _fail(f"{_name} is set but DATABASE_URL is not: set both, or neither.")
    try:
        _directory = DataDirectory.at(DATA_DIR)
        _addresses = _directory.addresses()
        SECRET_KEY = _directory.secret("secret_key")
    except CannotStart as error:
        _fail(str(error))
else:
    _addresses = Addresses(
        app=os.environ["DATABASE_URL"],
        owner=os.environ.get("DATABASE_OWNER_URL", ""),
        broker=_required("CELERY_BROKER_URL", "the Valkey or Redis server, redis://host:6379/0"),
    )
    SECRET_KEY = _required("SECRET_KEY", "50 random characters or more, the same in all processes")

_application = _connection("DATABASE_URL", _addresses.app)
# Migrations grant and revoke rights of this role.
APP_DATABASE_ROLE = _application["user"]

# The one place that decides who talks to the database: the owner of the tables for the commands
# that change them, the application's role, which cannot, for everything else.
AS_OWNER = len(sys.argv) > 1 and sys.argv[1] in {"migrate", "sqlmigrate", "showmigrations"}
if AS_OWNER and not _addresses.owner:
    _fail("Set DATABASE_OWNER_URL: migrations run as the owner of the tables.")
_database = _connection("DATABASE_OWNER_URL", _addresses.owner) if AS_OWNER else _application

STATEMENT_TIMEOUT = "0" if AS_OWNER else os.environ.get("STATEMENT_TIMEOUT", "5min")
_server_settings = {
    "statement_timeout": STATEMENT_TIMEOUT,
    "lock_timeout": "3s",
    "idle_in_transaction_session_timeout": "30s",
    "client_connection_check_interval": "10s",
}
_known = {"user", "password", "host", "port", "dbname", "options"}
_options: dict[str, Any] = {key: value for key, value in _database.items() if key not in _known}
# Of the statements that are given their values apart (see ``statements``), those that come often.
_options["prepare_threshold"] = 5
_options["options"] = " ".join(
    [
        _database.get("options", ""),
        *(f"-c {key}={value}" for key, value in _server_settings.items()),
    ]
)

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": _database["dbname"],
        "USER": _database["user"],
        "PASSWORD": _database.get("password", ""),
        "HOST": _database.get("host", ""),
        "PORT": _database.get("port", ""),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "ATOMIC_REQUESTS": False,
        "OPTIONS": _options,
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Models --------------------------------------------------------------------------------

# The endpoints that model readers and dense search ask; None where there is none.
try:
    READER = reader_settings.read(os.environ)
    EMBEDDINGS = embeddings_settings.read(os.environ)
except ValueError as error:
    _fail(str(error))

# --- Application ---------------------------------------------------------------------------

DEBUG = os.environ.get("DEBUG") == "1"
ROOT_URLCONF = "adjudication.urls"
WSGI_APPLICATION = "adjudication.wsgi.application"
AUTH_USER_MODEL = "accounts.User"

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django_htmx",
    "rest_framework",
    "adjudication",
    "adjudication.accounts",
    "adjudication.journal",
    "adjudication.projects",
    "adjudication.corpus",
    "adjudication.claims",
    "adjudication.specifications",
    "adjudication.search",
    "adjudication.runs",
    "adjudication.review",
    "adjudication.releases",
    "adjudication.scoring",
    "adjudication.imports",
    "adjudication.integrity",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "adjudication.middleware.response_headers",
    "adjudication.api.middleware.json_refusals",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "adjudication.middleware.readable_forms",
    "adjudication.middleware.RefusalPages",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "adjudication.projects.context.project_navigation",
            ],
        },
    }
]

LANGUAGE_CODE = "en"
USE_I18N = False
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
# Files are few and read once at start: no step that collects them first.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG

# --- People --------------------------------------------------------------------------------

LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = LOGIN_URL
# Seconds for which a link to choose a password, handed over by a lead, is good: a week.
PASSWORD_RESET_TIMEOUT = 7 * 24 * 3600
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
SESSION_ENGINE = "django.contrib.sessions.backends.db"
# Browsers keep cookies per host, not per port: copies side by side must not sign each other out.
SESSION_COOKIE_NAME = "__Host-session" if HTTPS else f"session-{PORT}"
CSRF_COOKIE_NAME = "__Host-csrf" if HTTPS else f"csrf-{PORT}"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"

# --- Browser -------------------------------------------------------------------------------

ALLOWED_HOSTS = sorted({_site.hostname, "localhost", "127.0.0.1"})
CSRF_TRUSTED_ORIGINS = [SITE_URL]
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if HTTPS else 0
# Subdomains and preloading are not ours to decide, and redirecting is up to the proxy with the
# certificate, since no plain request of a visitor gets past it.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W008", "security.W021"]
SECURE_CONTENT_TYPE_NOSNIFF = True
# "no-referrer" would make browsers send "Origin: null", which the CSRF check refuses.
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
# Everything comes from this server, and nothing is written inline.
CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)

# Bytes of one file sent with a form, of one data set sent piece by piece, and of one piece.
UPLOAD_LIMIT = 64 * 2**20
_import_limit = os.environ.get("IMPORT_LIMIT_MB", "4096")
if not _import_limit.isdecimal() or not int(_import_limit):
    _fail(f"IMPORT_LIMIT_MB must be a whole number of megabytes, not {_import_limit!r}.")
IMPORT_LIMIT = int(_import_limit) * 2**20
PIECE_LIMIT = 4 * 2**20

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "adjudication.api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PARSER_CLASSES": [],  # each address says what it reads
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_METADATA_CLASS": None,
    "EXCEPTION_HANDLER": "adjudication.api.errors.answer",
    "URL_FORMAT_OVERRIDE": None,
}

# --- Tasks ---------------------------------------------------------------------------------

CELERY_BROKER_URL = _addresses.broker
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = "json"
CELERY_TASK_IGNORE_RESULT = True
# A task is taken off the queue when its effect is stored, never before.
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_TIME_LIMIT = 600
CELERY_TASK_SOFT_TIME_LIMIT = 540
# A message is only a hint, the row it names is what counts: a lost broker must not delay a page.
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    # Above the longest task, or one message starts several.
    "visibility_timeout": 900,
    # Look for messages of lost workers every two seconds; by default it takes minutes.
    "unacked_restore_interval": 2,
    "unacked_restore_throttle": 1,
    # One more try and no waiting: whoever publishes has a row to fall back on.
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0,
    "socket_connect_timeout": 2,
}
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 30
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = TIME_ZONE

# --- Log -----------------------------------------------------------------------------------

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
    # The client of model endpoints would log a line for every call.
    "loggers": {"httpx2": {"level": "WARNING"}},
}
