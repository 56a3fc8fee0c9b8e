"""What production does not start with: every fault is told, by its variable, and no value is."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.production import find_faults
from config.tests.test_settings import PRODUCTION, ROOT, environ, load_settings

__all__ = ["environ"]  # a fixture


def test_what_an_operator_sets_is_enough(environ: pytest.MonkeyPatch) -> None:
    assert find_faults() == []
    assert load_settings()["ENVIRONMENT"] == "production"


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("SECRET_KEY", "", "must be set outside development"),
        ("SECRET_KEY", "hunter2", "is too weak"),
        ("SECRET_KEY_FALLBACKS", "hunter2", "is too weak"),
        ("CHANNEL_ENCRYPTION_KEYS", "", "must be set outside development"),
        ("BASE_URL", "", "must be https://"),
        ("BASE_URL", "http://kb.example", "must be https://"),
        ("BASE_URL", "http://127.0.0.1:8000", "must be https://"),
        ("EMAIL_URL", "", "must be set in production"),
        ("EMAIL_URL", "mail.example", "must be smtp://"),
        ("TRUSTED_PROXIES", "", "must be set in production"),
        ("TRUSTED_PROXIES", "one", "must be a whole number"),
        ("ALLOWED_HOSTS", "kb.example,*", "must name its hosts"),
        ("ALLOWED_HOSTS", ".kb.example", "must name its hosts"),
        ("DATABASE_URL", "postgresql://app:postgres@db/app", "holds a well-known password"),
        ("DATABASE_URL", "postgresql://agents:Agents@db/app", "holds a well-known password"),
        ("REDIS_URL", "redis://:changeme@cache", "holds a well-known password"),
        ("EMAIL_URL", "smtp://ana:password@mail", "holds a well-known password"),
        ("STORAGE_URL", "s3://minioadmin:minioadmin@files", "holds a well-known password"),
        ("AWS_SECRET_ACCESS_KEY", "minioadmin", "holds a well-known value"),
        ("LLM_API_KEY", "changeme", "holds a well-known value"),
        ("LLM_BASE_URL", "http://llm.example/v1", "must lead to an https:// address"),
        ("LLM_BASE_URL", "http://8.8.8.8/v1", "must lead to an https:// address"),
        ("MESSENGER_A_API_URL", "http://bots.example", "must lead to an https:// address"),
        ("GOOGLE_TOKEN_URL", "http://google.example", "must lead to an https:// address"),
        ("STORAGE_URL", "s3://a:bcd@files?endpoint=http://s3.example", "must lead to an https://"),
        ("FETCH_ALLOWED_HOSTS", "127.0.0.1:9", "must be empty in production"),
    ],
)
def test_a_fault_stops_the_start(
    environ: pytest.MonkeyPatch, name: str, value: str, words: str
) -> None:
    environ.setenv(name, value)

    (fault,) = find_faults()

    assert fault.startswith(f"The environment variable {name} ")
    assert words in fault
    assert not value or "://" in fault or value not in fault
    with pytest.raises(ImproperlyConfigured) as refused:
        load_settings()
    assert str(refused.value) == fault


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TRUSTED_PROXIES", "0"),
        ("ALLOWED_HOSTS", "kb.example,127.0.0.1"),
        ("LLM_BASE_URL", "http://127.0.0.1:11434/v1"),
        ("LLM_BASE_URL", "http://10.1.2.3/v1"),
        ("LLM_BASE_URL", "http://llm:8000/v1"),
        ("LLM_BASE_URL", "http://llm.internal/v1"),
        ("MESSENGER_A_API_URL", "http://bots:8081"),
        ("STORAGE_URL", "s3://a:bcd@files?endpoint=http://minio:9000"),
        ("DATABASE_URL", "postgresql:///app?host=/run/postgresql"),
    ],
)
def test_what_is_no_fault(environ: pytest.MonkeyPatch, name: str, value: str) -> None:
    environ.setenv(name, value)

    assert find_faults() == []


def test_all_faults_are_told_at_once_and_before_anything_starts(tmp_path: Path) -> None:
    """As whoever runs bin/up reads them."""
    unset = {*PRODUCTION, "ALLOWED_HOSTS"}
    given = {
        **{name: value for name, value in os.environ.items() if name not in unset},
        "ENVIRONMENT": "production",
        "DATA_DIR": str(tmp_path / "data"),
        "ALLOWED_HOSTS": "*",
    }
    ended = subprocess.run(
        [sys.executable, "-P", "-m", "config.running.up"],
        cwd=ROOT,
        env={**given, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )

    first, *faults = ended.stderr.splitlines()
    assert ended.returncode == 1
    assert first == "bin/up: production does not start like this:"
    assert [fault.split()[3] for fault in faults] == [
        "SECRET_KEY",
        "CHANNEL_ENCRYPTION_KEYS",
        "BASE_URL",
        "TRUSTED_PROXIES",
        "EMAIL_URL",
        "ALLOWED_HOSTS",
    ]
    assert not (tmp_path / "data").exists()
