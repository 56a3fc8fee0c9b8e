"""The service does not start with a setting that is missing, wrong or unsafe, and says which."""

import base64
import os
import runpy
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import environment
from config.storage.s3 import BoundedS3Storage

ROOT = Path(environment.__file__).parent.parent
SECRET = "k3Jv-9xQz_Lm2Rt8Wc5Yb7Nf4Hs6Dp1Ga0Ue3Io9Zk2Xv5Cq8Bw7"
PRODUCTION = {
    "CHANNEL_ENCRYPTION_KEYS": "q83vEjRWeJq83vASNFZ4kKvN7xI0VniQFdrQIfH1NnQ=",
    "SECRET_KEY": SECRET,
    "DATABASE_URL": "postgresql://app:sesame@db.example/app",
    "REDIS_URL": "redis://cache.example/0",
    "BASE_URL": "https://kb.example",
    "EMAIL_URL": "smtp+tls://mail.example",
    "TRUSTED_PROXIES": "1",
}


@pytest.fixture
def environ(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """A production environment and nothing else."""
    for name in ("ENVIRONMENT", "HOST", "PORT", "LOG_LEVEL", "STORAGE_URL", "ALLOWED_HOSTS"):
        monkeypatch.delenv(name, raising=False)
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    for name, value in PRODUCTION.items():
        monkeypatch.setenv(name, value)
    return monkeypatch


def load_settings() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "config" / "settings.py"))


def refusal() -> str:
    with pytest.raises(ImproperlyConfigured) as refused:
        load_settings()
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__ or refused.value.__context__ is None
    return str(refused.value)


# --- What is safe by itself -----------------------------------------------------------------------


def test_unset_environment_means_production(environ: pytest.MonkeyPatch) -> None:
    settings = load_settings()

    assert settings["ENVIRONMENT"] == "production"
    assert settings["SECRET_KEY"] == SECRET
    assert settings["DEBUG"] is False


def test_a_process_has_a_few_connections(environ: pytest.MonkeyPatch) -> None:
    database = load_settings()["DATABASES"]["default"]

    assert database["OPTIONS"]["pool"]["max_size"] == 10


def test_a_new_database_begins_with_the_model_that_answers_companies_best(
    environ: pytest.MonkeyPatch,
) -> None:
    environ.delenv("EMBEDDING_MODEL")

    assert load_settings()["EMBEDDING_MODEL"] == "all-MiniLM-L6-v2"


@pytest.mark.parametrize(
    ("base_url", "is_secure"), [("https://kb.example", True), ("http://kb.example", False)]
)
def test_cookies_and_browsers_keep_to_https_where_the_service_is_reached_by_it(
    environ: pytest.MonkeyPatch, base_url: str, *, is_secure: bool
) -> None:
    environ.setenv("ENVIRONMENT", "development")
    environ.setenv("BASE_URL", base_url + "/")
    settings = load_settings()

    assert settings["BASE_URL"] == base_url
    assert settings["SESSION_COOKIE_SECURE"] is settings["CSRF_COOKIE_SECURE"] is is_secure
    assert settings["SECURE_HSTS_SECONDS"] == (31_536_000 if is_secure else 0)
    assert "kb.example" in settings["ALLOWED_HOSTS"]
    assert "*" not in settings["ALLOWED_HOSTS"]


# --- Secrets --------------------------------------------------------------------------------------


WEAK_SECRETS = {
    "short": SECRET[:49],
    "one character repeated": "x" * 64,
    "few characters repeated": "abcabcabc" * 8,
    "Django's own mark": "django-insecure-" + SECRET,
    "well known": "changeme-changeme-changeme-changeme-changeme-0123456789",
    "well known, in capitals": "SECRET-key-0123456789-abcdefghijklmnopqrstuvwxyz-ABCDEF",
}


@pytest.mark.parametrize("environment_name", ["production", "development"])
@pytest.mark.parametrize("secret", WEAK_SECRETS.values(), ids=WEAK_SECRETS.keys())
def test_weak_secret_is_refused_and_not_shown(
    environ: pytest.MonkeyPatch, environment_name: str, secret: str
) -> None:
    environ.setenv("ENVIRONMENT", environment_name)
    environ.setenv("SECRET_KEY", secret)

    message = refusal()

    assert "SECRET_KEY" in message
    assert secret not in message


def encoded(key: bytes) -> str:
    return base64.b64encode(key).decode()


GOOD_KEY = PRODUCTION["CHANNEL_ENCRYPTION_KEYS"]
KEY_REFUSAL = (
    "The environment variable CHANNEL_ENCRYPTION_KEYS must hold base64 of 32 random bytes each,"
    " as `openssl rand -base64 32` makes them, separated by commas."
)
WEAK_KEYS = {
    "short": encoded(os.urandom(31)),
    "long": encoded(os.urandom(33)),
    "no base64": "sesame!" * 6,
    "hexadecimal digits": os.urandom(32).hex(),
    "zeros": encoded(bytes(32)),
    "few bytes repeated": encoded(bytes.fromhex("deadbeefcafe0123") * 4),
    "of tutorials": encoded(bytes(range(32))),
    "a text": encoded(b"my 32-byte long encryption key!!"),
    "a good one beside a bad one": f"{GOOD_KEY},{encoded(bytes(32))}",
}


@pytest.mark.parametrize("environment_name", ["production", "development"])
@pytest.mark.parametrize("keys", WEAK_KEYS.values(), ids=WEAK_KEYS.keys())
def test_weak_encryption_key_is_refused_and_not_shown(
    environ: pytest.MonkeyPatch, environment_name: str, keys: str
) -> None:
    environ.setenv("ENVIRONMENT", environment_name)
    environ.setenv("CHANNEL_ENCRYPTION_KEYS", keys)

    assert refusal() == KEY_REFUSAL


@pytest.mark.parametrize("value", [None, "", " , "])
def test_missing_encryption_key_is_refused_in_production(
    environ: pytest.MonkeyPatch, value: str | None
) -> None:
    name = "CHANNEL_ENCRYPTION_KEYS"
    environ.delenv(name) if value is None else environ.setenv(name, value)

    assert refusal() == (
        f"The environment variable {name} must be set outside development:"
        " base64 of 32 random bytes, as `openssl rand -base64 32` makes them."
    )


def test_encryption_keys_are_read_in_their_order(environ: pytest.MonkeyPatch) -> None:
    keys = [os.urandom(32), os.urandom(32)]
    environ.setenv("CHANNEL_ENCRYPTION_KEYS", " , ".join(map(encoded, keys)))

    assert load_settings()["CHANNEL_ENCRYPTION_KEYS"] == keys


def test_development_makes_an_encryption_key_and_keeps_it(
    environ: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    environ.setenv("ENVIRONMENT", "development")
    environ.delenv("CHANNEL_ENCRYPTION_KEYS")

    first, second = (load_settings()["CHANNEL_ENCRYPTION_KEYS"] for _ in range(2))

    kept = tmp_path / "encryption_key"
    assert first == second == [base64.b64decode(kept.read_text())]
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


@pytest.mark.parametrize("value", [None, "", "   "])
def test_missing_secret_is_refused_in_production(
    environ: pytest.MonkeyPatch, value: str | None
) -> None:
    environ.delenv("SECRET_KEY") if value is None else environ.setenv("SECRET_KEY", value)

    assert refusal() == "The environment variable SECRET_KEY must be set outside development."


def test_development_makes_a_random_secret_and_keeps_it(
    environ: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    environ.setenv("ENVIRONMENT", "development")
    environ.delenv("SECRET_KEY")

    first, second = load_settings()["SECRET_KEY"], load_settings()["SECRET_KEY"]

    kept = tmp_path / "secret_key"
    assert first == second == kept.read_text()
    assert len(first) == 86
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["secret_key"]


def test_of_two_processes_that_make_a_secret_one_wins(tmp_path: Path) -> None:
    program = (
        "import secrets, sys; from pathlib import Path\n"
        "from config.environment import read_or_create_secret_file as read\n"
        "print(read(Path(sys.argv[1]), secrets.token_hex()))"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "secret_key")]
    started = [
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]

    secrets = {process.communicate()[0].strip() for process in started}

    assert secrets == {(tmp_path / "secret_key").read_text()}


# --- Stored files ---------------------------------------------------------------------------------


def storage_options(environ: pytest.MonkeyPatch, url: str) -> dict[str, Any]:
    environ.setenv("STORAGE_URL", url)
    storage = load_settings()["STORAGES"]["default"]
    assert storage["BACKEND"] == "config.storage.s3.BoundedS3Storage"
    options: dict[str, Any] = storage["OPTIONS"]
    return options


@pytest.mark.parametrize("url", [None, "local", "none"])
def test_files_are_in_a_private_folder_unless_told(
    environ: pytest.MonkeyPatch, tmp_path: Path, url: str | None
) -> None:
    if url:
        environ.setenv("STORAGE_URL", url)
    settings = load_settings()

    assert settings["STORAGE_URL"] == (url or "local")
    assert settings["STORAGES"]["default"] == {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {
            "location": str(tmp_path / "media"),
            "file_permissions_mode": 0o600,
            "directory_permissions_mode": 0o700,
        },
    }


def test_files_can_be_in_a_bucket_of_any_server(environ: pytest.MonkeyPatch) -> None:
    options = storage_options(
        environ,
        "s3://AKIA:se%2Fs%40me%2B@files/kept/here/?endpoint=https://minio.example:9000"
        "&region=eu-west-1&encryption=aws:kms",
    )

    assert options == {
        "access_key": "AKIA",
        "secret_key": "se/s@me+",
        "security_token": None,
        "session_profile": None,
        "bucket_name": "files",
        "location": "kept/here",
        "endpoint_url": "https://minio.example:9000",
        "region_name": "eu-west-1",
        "addressing_style": "path",
        "signature_version": "s3v4",
        "querystring_expire": 86400,
        "object_parameters": {
            "ContentType": "application/octet-stream",
            "ServerSideEncryption": "aws:kms",
        },
    }


def test_keys_and_region_may_come_from_their_usual_variables(environ: pytest.MonkeyPatch) -> None:
    environ.setenv("AWS_ACCESS_KEY_ID", "AKIA")
    environ.setenv("AWS_SECRET_ACCESS_KEY", "sesame")
    environ.setenv("AWS_DEFAULT_REGION", "eu-west-1")

    options = storage_options(environ, "s3://files")

    assert (options["access_key"], options["secret_key"]) == ("AKIA", "sesame")
    assert options["region_name"] == "eu-west-1"
    assert options["endpoint_url"] is None
    assert options["location"] == ""


@pytest.mark.parametrize(
    ("bucket", "start"),
    [
        ("files", "https://files.s3.eu-west-1.amazonaws.com/key?"),
        ("files.of.acme", "https://s3.eu-west-1.amazonaws.com/files.of.acme/key?"),
    ],
)
def test_a_link_leads_to_the_region_of_the_bucket(
    environ: pytest.MonkeyPatch, bucket: str, start: str
) -> None:
    """The address without a region redirects, and that breaks the signature."""
    options = storage_options(environ, f"s3://AKIA:sesame@{bucket}?region=eu-west-1")

    link = BoundedS3Storage(**options).url("key")

    assert link.startswith(start)
    assert "X-Amz-Security-Token" not in link


STORAGE_FORM = (
    "The environment variable STORAGE_URL must be local, none or"
    " s3://KEY:SECRET@bucket/folder?endpoint=URL&region=NAME."
    " Write special characters of a key as %XX."
)


@pytest.mark.parametrize(
    "url",
    [
        "files",
        "/srv/files",
        "s3:files",
        "S4://AKIA:sesame@files",
        "s3://AKIA:sesame@",
        "s3://AKIA:sesame@Files",
        "s3://AKIA:sesame@f",
        "s3://AKIA:sesame@files:9000",
        "s3://AKIA@files",
        "s3://AKIA:@files",
        "s3://:sesame@files",
        "s3://AKIA:/sesame@files",
        "s3://AKIA:7#sesame@files",
        "s3://AKIA:sesame@files#part",
        "s3://AKIA:sesame@files/../other",
        "s3://AKIA:sesame@files/a//b",
        "s3://AKIA:sesame@files/a b",
        "s3://AKIA:sesame@files?region",
        "s3://AKIA:sesame@files?region=",
        "s3://AKIA:sesame@files?region=a&region=b",
        "s3://AKIA:sesame@files?region=a/b",
        "s3://AKIA:sesame@files?acl=public-read",
        "s3://AKIA:sesame@files?endpoint=minio.example",
        "s3://AKIA:sesame@files?endpoint=ftp://minio.example",
        "s3://AKIA:sesame@files?endpoint=https://a:sesame@minio.example",
        "s3://AKIA:sesame@files?encryption=rot13",
    ],
)
def test_a_wrong_storage_is_refused_and_never_shown(environ: pytest.MonkeyPatch, url: str) -> None:
    environ.setenv("STORAGE_URL", url)

    assert refusal() == STORAGE_FORM


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        (
            {},
            "The environment variable STORAGE_URL holds no keys: write s3://KEY:SECRET@bucket,"
            " or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
        ),
        (
            {"AWS_ACCESS_KEY_ID": "AKIA"},
            "The environment variable STORAGE_URL holds no keys: write s3://KEY:SECRET@bucket,"
            " or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
        ),
        (
            {
                "AWS_ACCESS_KEY_ID": "AKIA",
                "AWS_SECRET_ACCESS_KEY": "sesame",
                "AWS_SESSION_TOKEN": "sesame",
            },
            "The environment variable STORAGE_URL needs lasting keys: temporary ones"
            " (AWS_SESSION_TOKEN) cannot sign download URLs that are good for 24 hours.",
        ),
    ],
)
def test_a_bucket_needs_keys_that_last(
    environ: pytest.MonkeyPatch, environment: dict[str, str], message: str
) -> None:
    environ.setenv("STORAGE_URL", "s3://files")
    for name, value in environment.items():
        environ.setenv(name, value)

    assert refusal() == message


# --- Other variables ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("PORT", "eighty", "The environment variable PORT must be a whole number."),
        ("PORT", "0", "The environment variable PORT must be between 1 and 65535."),
        ("PORT", "65536", "The environment variable PORT must be between 1 and 65535."),
        (
            "TRUSTED_PROXIES",
            "10.0.0.1",
            "The environment variable TRUSTED_PROXIES must be a whole number.",
        ),
        (
            "TRUSTED_PROXIES",
            "-1",
            "The environment variable TRUSTED_PROXIES must be between 0 and 10.",
        ),
        (
            "TRUSTED_PROXIES",
            "11",
            "The environment variable TRUSTED_PROXIES must be between 0 and 10.",
        ),
        (
            "UPLOAD_DEADLINE",
            "5m",
            "The environment variable UPLOAD_DEADLINE must be a whole number.",
        ),
        (
            "ENVIRONMENT",
            "prod",
            "The environment variable ENVIRONMENT must be one of: development, production.",
        ),
        (
            "LOG_LEVEL",
            "loud",
            "The environment variable LOG_LEVEL must be one of: DEBUG, INFO, WARNING, ERROR.",
        ),
        (
            "BASE_URL",
            "kb.example",
            "The environment variable BASE_URL must be an http:// or https:// URL.",
        ),
        *(
            (
                "BASE_URL",
                value,
                "The environment variable BASE_URL must be https://host or http://host, with a port"
                " at most: no path.",
            )
            for value in (
                "https://kb.example/kb",
                "https://kb.example/?a=1",
                "https://kb.example#a",
                "https://ana@kb.example",
            )
        ),
        (
            "DATABASE_URL",
            "",
            "The environment variable DATABASE_URL must be set."
            " bin/up and bin/manage set it to the embedded server.",
        ),
        (
            "REDIS_URL",
            "",
            "The environment variable REDIS_URL must be set."
            " bin/up and bin/manage set it to the embedded server.",
        ),
        (
            "DATABASE_URL",
            "mysql://app:sesame@db/app",
            "The environment variable DATABASE_URL must start with one of: postgres, postgresql.",
        ),
        (
            "REDIS_URL",
            "http://:sesame@cache",
            "The environment variable REDIS_URL must start with one of: redis, rediss, unix.",
        ),
        (
            "DATABASE_URL",
            "postgresql://app:sesame/street@db/app",
            "The environment variable DATABASE_URL is not a URL."
            " Write special characters of a password as %XX.",
        ),
        (
            "REDIS_URL",
            "redis://[sesame",
            "The environment variable REDIS_URL is not a URL."
            " Write special characters of a password as %XX.",
        ),
        (
            "STORAGE_URL",
            "s3://AKIA:sesame?street@files",
            "The environment variable STORAGE_URL is not a URL."
            " Write special characters of a password as %XX.",
        ),
        (
            "STORAGE_URL",
            "s3://AKIA:sesame/street@files",
            "The environment variable STORAGE_URL is not a URL."
            " Write special characters of a password as %XX.",
        ),
        (
            "BASE_URL",
            "http://kb.example:eighty",
            "The environment variable BASE_URL is not a URL."
            " Write special characters of a password as %XX.",
        ),
    ],
)
def test_a_wrong_value_is_refused_with_its_name_and_never_shown(
    environ: pytest.MonkeyPatch, name: str, value: str, message: str
) -> None:
    environ.setenv(name, value)

    assert refusal() == message


def test_fallbacks_are_as_strong_as_the_key(environ: pytest.MonkeyPatch) -> None:
    environ.setenv("SECRET_KEY_FALLBACKS", f"{SECRET},hunter2")
    weak = "The environment variable SECRET_KEY_FALLBACKS is too weak:"
    assert refusal() == f"{weak} at least 50 random characters."

    environ.setenv("SECRET_KEY_FALLBACKS", f" {SECRET} , {SECRET[::-1]} ")
    assert load_settings()["SECRET_KEY_FALLBACKS"] == [SECRET, SECRET[::-1]]


def test_the_process_ends_with_the_name_on_its_error_output(environ: pytest.MonkeyPatch) -> None:
    environ.setenv("SECRET_KEY", "hunter2")

    ended = subprocess.run(
        [sys.executable, "-c", "import config.settings"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].endswith(
        "The environment variable SECRET_KEY is too weak: at least 50 random characters."
    )
    assert "hunter2" not in ended.stdout + ended.stderr
