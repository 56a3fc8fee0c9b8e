"""EMAIL_URL and EMAIL_FROM: read right, or the service does not start and says which."""

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.environment import read_email_url, read_mailbox
from config.tests.test_settings import environ, load_settings

__all__ = ["environ"]  # a fixture

DJANGO_SMTP: dict[str, Any] = {
    "EMAIL_BACKEND": "config.mail.server.EmailBackend",
    "EMAIL_HOST": "mail.example",
    "EMAIL_HOST_USER": "",
    "EMAIL_HOST_PASSWORD": "",
}


def read(monkeypatch: pytest.MonkeyPatch, url: str) -> dict[str, Any]:
    monkeypatch.setenv("EMAIL_URL", url)
    return read_email_url("EMAIL_URL")


def refusal(monkeypatch: pytest.MonkeyPatch, url: str) -> str:
    with pytest.raises(ImproperlyConfigured) as refused:
        read(monkeypatch, url)
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__ or refused.value.__context__ is None
    return str(refused.value)


@pytest.mark.parametrize("value", [None, "", "  "])
def test_without_a_mail_server_mails_become_files(
    monkeypatch: pytest.MonkeyPatch, value: str | None
):
    monkeypatch.delenv("EMAIL_URL", raising=False)
    if value is not None:
        monkeypatch.setenv("EMAIL_URL", value)

    assert read_email_url("EMAIL_URL") == {"EMAIL_BACKEND": "config.mail.files.EmailBackend"}


def test_development_keeps_mails_as_files(environ: pytest.MonkeyPatch):
    environ.setenv("ENVIRONMENT", "development")
    environ.delenv("EMAIL_URL", raising=False)
    environ.delenv("EMAIL_FROM", raising=False)
    settings = load_settings()

    assert settings["EMAIL_BACKEND"] == "config.mail.files.EmailBackend"
    assert settings["EMAIL_OUTBOX"] == settings["DATA_DIR"] / "outbox"
    assert settings["DEFAULT_FROM_EMAIL"] == "Knowledge Agents <no-reply@localhost>"


def test_production_with_a_mail_server(environ: pytest.MonkeyPatch):
    environ.setenv("EMAIL_URL", "smtp+tls://ana:s%40same@mail.example")
    environ.setenv("EMAIL_FROM", "Acme <no-reply@acme.es>")
    settings = load_settings()

    assert settings["EMAIL_HOST_PASSWORD"] == "s@same"
    assert (settings["EMAIL_PORT"], settings["EMAIL_USE_TLS"]) == (587, True)
    assert settings["EMAIL_TIMEOUT"] == 10
    assert settings["DEFAULT_FROM_EMAIL"] == "Acme <no-reply@acme.es>"


@pytest.mark.parametrize(
    ("url", "settings"),
    [
        ("smtp://mail.example", {"EMAIL_PORT": 25}),
        ("smtp://mail.example:2525/", {"EMAIL_PORT": 2525}),
        ("smtp+tls://mail.example", {"EMAIL_PORT": 587, "EMAIL_USE_TLS": True}),
        ("smtp+tls://mail.example:25", {"EMAIL_PORT": 25, "EMAIL_USE_TLS": True}),
        ("smtp+ssl://mail.example", {"EMAIL_PORT": 465, "EMAIL_USE_SSL": True}),
        ("SMTP+SSL://mail.example", {"EMAIL_PORT": 465, "EMAIL_USE_SSL": True}),
    ],
)
def test_schemes_and_their_usual_ports(
    monkeypatch: pytest.MonkeyPatch, url: str, settings: dict[str, Any]
):
    assert read(monkeypatch, url) == DJANGO_SMTP | settings


@pytest.mark.parametrize(
    ("written", "meant"),
    [("plain", "plain"), ("a+b", "a+b"), ("a%2Fb%40c%3Ad%25e", "a/b@c:d%e"), ("a%20b", "a b")],
)
def test_a_login_with_any_characters(monkeypatch: pytest.MonkeyPatch, written: str, meant: str):
    settings = read(monkeypatch, f"smtp+tls://{written}:{written}@mail.example:587")

    assert (settings["EMAIL_HOST_USER"], settings["EMAIL_HOST_PASSWORD"]) == (meant, meant)


def test_a_user_that_is_an_address(monkeypatch: pytest.MonkeyPatch):
    settings = read(monkeypatch, "smtp+tls://ana%40acme.es:sesame@mail.example")

    assert settings["EMAIL_HOST_USER"] == "ana@acme.es"


@pytest.mark.parametrize(
    "url",
    [
        "mail.example",
        "http://mail.example",
        "smtps://ana:sesame@mail.example",
        "consolemail://sesame",
        "smtp://",
        "smtp://:25",
        "smtp://ana:sesame@",
        "smtp://ana:ses/ame@mail.example",
        "smtp://ana:12/sesame@mail.example",
        "smtp://ana:12#sesame@mail.example",
        "smtp://ana:sesame@mail.example:port",
        "smtp://ana:sesame@mail.example:99999",
        "smtp://ana:[sesame@mail.example",
        "smtp://ana@mail.example",
        "smtp://:sesame@mail.example",
        "smtp://mail.example?password=sesame",
        "smtp://mail.example/sesame",
        "smtp://ana:s%C3%A9same@mail.example",
    ],
)
def test_a_wrong_url_is_refused_by_its_name_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, url: str
):
    message = refusal(monkeypatch, url)

    assert "EMAIL_URL" in message
    for secret in ("sesame", "ana", "mail.example", "same"):
        assert secret not in message


def test_what_a_refusal_says(monkeypatch: pytest.MonkeyPatch):
    assert refusal(monkeypatch, "smtp://ana@mail.example") == (
        "The environment variable EMAIL_URL must have a user and a password, or neither."
    )


@pytest.mark.parametrize(
    "value",
    ["no-reply@kb.example", "Knowledge Agents <no-reply@localhost>", '"Añil, S.L." <a@añil.es>'],
)
def test_a_sender(monkeypatch: pytest.MonkeyPatch, value: str):
    monkeypatch.setenv("EMAIL_FROM", value)

    assert read_mailbox("EMAIL_FROM", "") == value


@pytest.mark.parametrize(
    "value",
    ["no-reply", "a@kb.example, b@kb.example", "Añil, S.L. <a@kb.example>", "A <a@b>\nB: c"],
)
def test_a_sender_that_no_mail_could_have(monkeypatch: pytest.MonkeyPatch, value: str):
    monkeypatch.setenv("EMAIL_FROM", value)

    with pytest.raises(ImproperlyConfigured) as refused:
        read_mailbox("EMAIL_FROM", "")
    assert str(refused.value) == (
        "The environment variable EMAIL_FROM must be one e-mail address, or Name <address>."
    )
