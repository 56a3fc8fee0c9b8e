"""What our mails say, and what becomes of one at the mail server."""

import email
import json
import re
import socket
import time
from email import policy
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core import mail as django_mail
from django.template import Engine
from pytest_django import Settings

from accounts.mail.messages import OURS, TEMPLATES, render
from accounts.mail.sending import (
    MailFailed,
    MailServerDown,
    RecipientRefused,
    check_mail_server,
    send_mail,
)
from accounts.models import Language
from accounts.tests.smtp_server import LOGIN, mail_server, make_certificate, use
from reasons import Reason

CODE = "048213"
LINK = "https://kb.example/activate#token=mF9-x_2"
STOP_LINK = "https://kb.example/stop-mails/abc:mF9"
CONTEXT = {
    "code": CODE,
    "minutes": "10",
    "tenant_name": "Muñoz & Hijos",
    "tenant_slug": "munoz",
    "inviter_email": "ana@munoz.es",
    "role": "member",
    "link": LINK,
    "days": "7",
    "asked_by": "ana@munoz.es",
    "deleted_on": "2026-12-06 10:00 UTC",
    "token": "mF9-x_2",
    "agent_name": "Tienda",
    "channel": "web",
    "name": "Eva Soto",
    "email": "eva@example.org",
    "phone": "+34612345678",
    "intent_text": "Quiero dos mesas",
    "notified_at": "2026-11-21 10:00 UTC",
    "signed_in_at": "2026-11-22 19:30 (Europe/Madrid)",
    "device": "Firefox · Linux",
    "address": "203.0.113.9",
    "source_name": "munoz.es",
    "reason": "The website did not answer.",
    "count": "36",
    "stop_link": STOP_LINK,
}
SUBJECTS = {
    ("signup_code", "es"): "Tu código para crear tu espacio de trabajo",
    ("signup_code", "en"): "Your code to create your workspace",
    ("signup_known", "es"): "Ya tienes un espacio de trabajo",
    ("signup_known", "en"): "You already have a workspace",
    ("login_code", "es"): "Tu código para iniciar sesión",
    ("login_code", "en"): "Your code to sign in",
    ("reset_code", "es"): "Tu código para cambiar la contraseña",
    ("reset_code", "en"): "Your code to reset your password",
    ("invitation", "es"): "Te invitan a un espacio de trabajo",
    ("invitation", "en"): "You are invited to a workspace",
    ("password_changed", "es"): "Tu contraseña ha cambiado",
    ("password_changed", "en"): "Your password was changed",
    ("two_factor_enabled", "es"): "La verificación en dos pasos está activada",
    ("two_factor_enabled", "en"): "Two-factor authentication is on",
    ("two_factor_disabled", "es"): "La verificación en dos pasos está desactivada",
    ("two_factor_disabled", "en"): "Two-factor authentication is off",
    ("new_sign_in", "es"): "Inicio de sesión desde un lugar nuevo",
    ("new_sign_in", "en"): "A sign-in from a new location",
    ("workspace_export", "es"): "Se está preparando una exportación de tu espacio de trabajo",
    ("workspace_export", "en"): "An export of your workspace is being prepared",
    ("workspace_deletion", "es"): "Tu espacio de trabajo se eliminará",
    ("workspace_deletion", "en"): "Your workspace will be deleted",
    ("lead", "es"): "Hay un nuevo cliente interesado",
    ("lead", "en"): "A new customer is interested",
    ("channel_failed", "es"): "Un canal necesita tu atención",
    ("channel_failed", "en"): "A channel needs attention",
    ("source_failed", "es"): "Una fuente necesita tu atención",
    ("source_failed", "en"): "A source needs attention",
    ("second_factor_guessed", "es"): "Alguien intenta adivinar tu código de verificación",
    ("second_factor_guessed", "en"): "Somebody is guessing your two-factor code",
    ("mails_held", "es"): "Tienes avisos que no te hemos enviado por correo",
    ("mails_held", "en"): "Some notifications were not e-mailed",
}
# What each template links to
ADDRESSES = {
    "signup_known": {LINK},
    "invitation": {LINK},
    "new_sign_in": {LINK},
    "source_failed": {LINK},
    "channel_failed": {LINK},
    "workspace_export": {LINK},
    "workspace_deletion": {LINK},
    "lead": {LINK, STOP_LINK, "mailto:eva@example.org", "tel:+34612345678"},
    "mails_held": {LINK, STOP_LINK},
}
EVERY_MAIL = pytest.mark.parametrize(("template", "language"), SUBJECTS)
CODE_MAILS = pytest.mark.parametrize("template", ["signup_code", "login_code", "reset_code"])
LANGUAGES = pytest.mark.parametrize("language", Language.values)


def send(template: str = "login_code", **over: str) -> None:
    send_mail("leo@example.com", template, "en", CONTEXT | over)


# --- What they say --------------------------------------------------------------------------------


def test_every_template_is_written_in_every_language():
    assert {template for template, _ in SUBJECTS} == set(TEMPLATES)
    assert len(SUBJECTS) == len(TEMPLATES) * len(Language)


@EVERY_MAIL
def test_it_has_a_subject_a_text_and_html(template: str, language: str):
    message = render(template, language, CONTEXT)

    assert message.subject == SUBJECTS[template, language]
    assert message.subject not in message.text
    assert f'<html lang="{language}">' in message.html
    assert "Muñoz & Hijos" not in message.html


@EVERY_MAIL
def test_nothing_in_it_is_left_blank_or_unrendered(
    template: str, language: str, monkeypatch: pytest.MonkeyPatch
):
    """Only what the template declares is given; every other name would show."""
    monkeypatch.setattr(Engine.get_default(), "string_if_invalid", "BLANK<%s>")
    message = render(template, language, {name: CONTEXT[name] for name in TEMPLATES[template]})

    for part in (message.subject, message.text, message.html):
        assert not re.search(r"BLANK|\{\{|\}\}|\{%|%\}", part)


@EVERY_MAIL
def test_both_parts_show_all_that_the_template_is_told(template: str, language: str):
    """But the role, which is translated."""
    marks = {name: f"mark-of-{name}" for name in TEMPLATES[template]}
    message = render(template, language, marks)

    for part in (message.text, message.html):
        assert [mark for mark in marks.values() if mark not in part] == []


@EVERY_MAIL
def test_it_loads_nothing_from_elsewhere(template: str, language: str):
    addresses = re.findall(
        r"""(?:src|href)=["']?([^"'>\s]+)|url\(""", render(template, language, CONTEXT).html
    )

    assert set(addresses) == ADDRESSES.get(template, set())


def test_a_missing_value_is_an_error_and_no_blank():
    with pytest.raises(KeyError, match="signup_code needs code, tenant_name"):
        render("signup_code", "es", {"minutes": "10", "tenant_slug": "acme"})


@CODE_MAILS
@LANGUAGES
def test_the_code_is_the_only_run_of_six_digits(template: str, language: str):
    message = render(template, language, CONTEXT)

    assert re.findall(r"\b\d{6}\b", message.text) == [CODE]
    assert message.html.count(f'<p class="code">{CODE}</p>') == 1
    assert CODE not in message.subject  # mail servers log it, locked phones show it


@CODE_MAILS
@LANGUAGES
def test_the_code_stands_before_what_somebody_else_chose(template: str, language: str):
    message = render(template, language, CONTEXT | {"tenant_name": "999999", "tenant_slug": "1"})

    assert re.findall(r"\b\d{6}\b", message.text)[0] == CODE


@LANGUAGES
def test_the_invitation_has_its_link_on_a_line_of_its_own(language: str):
    message = render("invitation", language, CONTEXT)

    assert message.text.splitlines().count(LINK) == 1
    assert message.html.count(f'href="{LINK}"') == 2


@pytest.mark.parametrize(
    ("language", "role", "words"),
    [
        ("es", "admin", "con el rol de administrador."),
        ("es", "viewer", "con el rol de lector."),
        ("en", "admin", "as an admin."),
        ("en", "api_user", "as api_user."),
    ],
)
def test_the_invitation_names_the_role(language: str, role: str, words: str):
    assert words in render("invitation", language, CONTEXT | {"role": role}).text


def test_an_invitation_reads_so():
    assert render("invitation", "es", CONTEXT).text == (
        "ana@munoz.es te invita al espacio de trabajo «Muñoz & Hijos», con el rol de miembro.\n\n"
        "Para aceptar, abre este enlace y elige una contraseña; si ya tienes una con nosotros,"
        " usa esa:\n\n"
        f"{LINK}\n\n"
        "El enlace vale durante 7 días y solo se puede usar una vez.\n\n"
        "No lo compartas: quien lo tenga puede entrar en tu nombre. Si no conoces a quien te"
        " invita, puedes ignorar este mensaje.\n\n"
        "-- \n"
        "Este mensaje es automático: nadie lee las respuestas.\n"
    )


# --- What somebody else chose ---------------------------------------------------------------------

HOSTILE = (
    "https://evil.example/?a=b", "HTTP://EVIL.example", "www.evil.example", "evil.example",
    "evil.example/pay", "evil\u3002example", "evil\uff0eexample", "evil\u200b.example",
    "evil.\u200dexample", "boss@evil.example", "boss\uff20evil.example", "//evil.example",
    "пример.рф", "ftp://203.0.113.9/", '"http://evil.example/"@acme.es', "www.evil.example@acme.es",
    "evil.example/@acme.es", "evil\u202e.example",
)  # fmt: skip
# What mail programs make a link of, by its looks (Gmail, Outlook, Apple Mail, November 2026).
LINKED = re.compile(
    r"[a-z][a-z0-9+.-]*://\S|www\.\S|[^\W_][\w-]*[.。．｡](?:[^\W\d_]{2,})|\S[@＠]\S", re.IGNORECASE
)


@EVERY_MAIL
@pytest.mark.parametrize("words", HOSTILE)
def test_no_words_of_others_become_a_link_or_a_subject(template: str, language: str, words: str):
    """With every value that is not written by us: what the mail shows beside what it would say
    without them is no link."""
    theirs = dict.fromkeys(TEMPLATES[template] - OURS, f"Win {words} now")
    ours = {name: value for name, value in CONTEXT.items() if name in OURS}
    message = render(template, language, ours | theirs)

    assert "Win" not in message.subject
    shown = re.sub(r"<[^>]*>|&\w+;", " ", message.html)
    for part in (message.text, shown):
        for own in filter(None, ours.values()):
            part = part.replace(own, " ")
        assert [found[0] for found in LINKED.finditer(part)] == []


@pytest.mark.parametrize("name", ["inviter_email", "email", "asked_by"])
@pytest.mark.parametrize(
    ("address", "is_shown"),
    [("eva.soto+x@mail.example.org", True), ('"evil.example/x"@acme.es', False)],
)
def test_only_a_plain_address_is_shown_as_one(name: str, address: str, is_shown: bool):
    template = {"inviter_email": "invitation", "email": "lead", "asked_by": "workspace_deletion"}
    message = render(template[name], "en", CONTEXT | {name: address})

    assert (address in message.text) is is_shown


def test_a_name_is_no_message():
    message = render("invitation", "en", CONTEXT | {"tenant_name": "Win! " * 100})

    assert f"“{('Win! ' * 100)[:79]}…”" in message.text


def test_a_mail_to_an_outsider_says_to_mail_programs_how_to_stop_it(settings: Settings):
    with mail_server() as server:
        use(settings, server)
        send("lead")
        send("lead", stop_link="")

    stoppable, plain = server.received
    assert stoppable["List-Unsubscribe"] == f"<{STOP_LINK}>"
    assert stoppable["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert plain["List-Unsubscribe"] is None


def test_values_are_escaped_in_html_and_not_in_the_text():
    message = render("password_changed", "en", {"tenant_name": "<b>R&D</b> 'x'"})

    assert "<b>R&D</b> 'x'" in message.text
    assert "&lt;b&gt;R&amp;D&lt;/b&gt; &#x27;x&#x27;" in message.html
    assert "<b>" not in message.html


@pytest.mark.parametrize(
    "name",
    ["Acme\r\nBcc: x@evil.example", "Acme\nBcc: x@evil.example", "Acme\u2028Bcc: x@evil.example"],
)
def test_a_line_break_in_a_name_makes_no_header(settings: Settings, name: str):
    with mail_server() as server:
        use(settings, server)
        send("invitation", tenant_name=name)

    (received,) = server.received
    assert received["Subject"].strip() == "You are invited to a workspace"
    assert received["Bcc"] is None
    assert server.recipients == ["leo@example.com"]


def test_signs_that_turn_the_text_around_are_taken_out():
    message = render("password_changed", "en", {"tenant_name": "Ac\u202eme\x00 \x07Corp"})

    assert "“Ac me Corp”" in message.text


# --- On its way -----------------------------------------------------------------------------------


def test_it_arrives_with_both_parts(settings: Settings):
    with mail_server() as server:
        use(settings, server)
        send()

    (received,) = server.received
    parts = [part.get_content_type() for part in received.iter_parts()]
    assert parts == ["text/plain", "text/html"]
    plain, html = received.get_body(("plain",)), received.get_body(("html",))
    assert plain is not None
    assert CODE in plain.get_content()
    assert html is not None
    assert CODE in html.get_content()


def test_its_headers(settings: Settings):
    settings.DEFAULT_FROM_EMAIL = "Añil <no-reply@kb.example>"
    settings.BASE_URL = "https://ask.kb.example"
    with mail_server() as server:
        use(settings, server)
        send()

    (received,) = server.received
    assert received["From"] == "Añil <no-reply@kb.example>"
    assert received["To"] == "leo@example.com"
    assert received["Auto-Submitted"] == "auto-generated"
    assert received["Date"].datetime is not None
    assert re.fullmatch(r"<[\w.]+@kb\.example>", received["Message-ID"])
    assert socket.gethostname() not in received.as_string()
    assert server.greeted_as == "ask.kb.example"


@pytest.mark.parametrize(
    ("base_url", "name"),
    [("http://10.0.0.8:8000", "[10.0.0.8]"), ("http://[::1]:8000", "[IPv6:::1]")],
)
def test_it_greets_by_address_where_there_is_no_name(settings: Settings, base_url: str, name: str):
    settings.BASE_URL = base_url
    with mail_server() as server:
        use(settings, server)
        send()

    assert server.greeted_as == name


def test_no_name_server_is_asked_who_we_are(settings: Settings, monkeypatch: pytest.MonkeyPatch):
    def ask(*args: Any) -> str:
        raise AssertionError("asked")

    monkeypatch.setattr(socket, "getfqdn", ask)
    with mail_server() as server:
        use(settings, server)
        send()

    assert len(server.received) == 1


def test_over_starttls_with_a_login(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    tls, trusted = make_certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = LOGIN
    settings.EMAIL_USE_TLS = True
    with mail_server(tls=tls) as server:
        use(settings, server)
        check_mail_server()
        send()

    assert server.logins == [LOGIN, LOGIN]
    assert len(server.received) == 1


def test_over_tls_from_the_beginning(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    tls, trusted = make_certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = LOGIN
    settings.EMAIL_USE_SSL = True
    with mail_server(tls=tls, implicit_tls=True) as server:
        use(settings, server)
        send()

    assert server.logins == [LOGIN]
    assert len(server.received) == 1


# --- Refused --------------------------------------------------------------------------------------


def failure(call: Any = send) -> MailFailed:
    with pytest.raises(MailFailed) as failed:
        call()
    assert failed.value.__cause__ is None
    return failed.value


@pytest.mark.parametrize("call", [send, check_mail_server])
def test_no_server(settings: Settings, call: Any):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    use(settings, port)
    error = failure(call)

    assert type(error) is MailServerDown
    assert str(error) == "ConnectionRefusedError: Connection refused"


@pytest.mark.parametrize("call", [send, check_mail_server])
@pytest.mark.parametrize("greeting", ["421 busy", "554 go away"])
def test_refused_at_the_greeting(settings: Settings, call: Any, greeting: str):
    with mail_server(greeting=greeting) as server:
        use(settings, server)
        error = failure(call)

    assert type(error) is MailServerDown
    assert str(error) == f"SMTPConnectError: {greeting[:3]}"


@pytest.mark.parametrize("call", [send, check_mail_server])
def test_a_server_that_says_nothing_is_waited_for_so_long(settings: Settings, call: Any):
    settings.EMAIL_TIMEOUT = 0.3
    with mail_server(greeting=None) as server:
        use(settings, server)
        began = time.monotonic()
        error = failure(call)

    assert type(error) is MailServerDown
    assert 0.3 <= time.monotonic() - began < 9  # of the ten that the product waits


def test_a_server_that_hangs_in_the_middle_is_waited_for_so_long(settings: Settings):
    settings.EMAIL_TIMEOUT = 0.3
    with mail_server(hangs_at_data=True) as server:
        use(settings, server)
        error = failure()

    assert type(error) is MailServerDown


def test_the_wait_is_bounded_in_the_product():
    assert django_settings.EMAIL_TIMEOUT == 10


@pytest.mark.parametrize(
    ("answer", "kind", "reason"),
    [
        ("451 4.7.1 greylisted", MailFailed, "451 4.7.1"),
        ("450 busy", MailFailed, "450"),
        ("550 5.1.1 no such user leo@example.com", RecipientRefused, "550 5.1.1"),
        ("550 no such user", RecipientRefused, "550"),
        ("554 5.7.1 relay access denied", MailFailed, "554 5.7.1"),
    ],
)
def test_refused_recipient(settings: Settings, answer: str, kind: type[MailFailed], reason: str):
    with mail_server(at_rcpt=answer) as server:
        use(settings, server)
        error = failure()

    assert type(error) is kind
    assert str(error) == f"SMTPRecipientsRefused: {reason}"


@pytest.mark.parametrize("code", [451, 554])
def test_refused_content(settings: Settings, code: int):
    with mail_server(at_data=f"{code} looks like spam: {CODE}") as server:
        use(settings, server)
        error = failure()

    assert type(error) is MailFailed
    assert str(error) == f"SMTPDataError: {code}"


def test_wrong_login(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    tls, trusted = make_certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = "mailer", "wrong"
    settings.EMAIL_USE_TLS = True
    with mail_server(tls=tls) as server:
        use(settings, server)
        error = failure(check_mail_server)

    assert type(error) is MailServerDown
    assert str(error) == "SMTPAuthenticationError: 535"


def test_a_certificate_that_nobody_vouches_for(settings: Settings, tmp_path: Path):
    tls, _ = make_certificate(tmp_path)
    settings.EMAIL_USE_TLS = True
    with mail_server(tls=tls) as server:
        use(settings, server)
        error = failure()

    assert type(error) is MailServerDown
    assert "CERTIFICATE_VERIFY_FAILED" in str(error)
    assert server.received == []


def test_a_server_without_starttls_gets_nothing_in_the_clear(settings: Settings):
    settings.EMAIL_USE_TLS = True
    with mail_server() as server:
        use(settings, server)
        error = failure()

    assert type(error) is MailServerDown
    assert str(error) == "SMTPNotSupportedError"
    assert server.received == []


def test_an_address_that_cannot_be_written(settings: Settings):
    """A valid one by Django: 63 letters in a label. In IDNA they are too many."""
    with mail_server() as server:
        use(settings, server)
        with pytest.raises(RecipientRefused):
            send_mail(f"leo@{'ñ' * 63}.es", "login_code", "es", CONTEXT)

    assert server.connections == 0


def test_checking_sends_nothing(settings: Settings):
    with mail_server() as server:
        use(settings, server)
        check_mail_server()

    assert server.connections == 1
    assert server.received == []


def test_nothing_of_the_mail_is_logged(settings: Settings, caplog: pytest.LogCaptureFixture):
    caplog.set_level("DEBUG")
    with mail_server(at_data=f"554 {CODE} to leo@example.com is spam") as server:
        use(settings, server)
        failure()
    with mail_server() as server:
        use(settings, server)
        send()

    assert "mail login_code sent" in caplog.text
    assert CODE not in caplog.text
    assert "leo@example.com" not in caplog.text


# --- Without a mail server ------------------------------------------------------------------------


@pytest.fixture
def outbox(settings: Settings, tmp_path: Path) -> Path:
    settings.EMAIL_BACKEND = "config.mail.files.EmailBackend"
    settings.EMAIL_OUTBOX = tmp_path / "outbox"
    return tmp_path / "outbox"


def test_a_mail_becomes_a_file_for_its_owner_alone(outbox: Path):
    send()
    send("reset_code")

    first, second = sorted(outbox.iterdir())
    assert [file.suffix for file in (first, second)] == [".eml", ".eml"]
    assert (first.stat().st_mode & 0o777, outbox.stat().st_mode & 0o777) == (0o600, 0o700)
    subjects = [
        email.message_from_bytes(file.read_bytes(), policy=policy.default)["Subject"]
        for file in (first, second)
    ]
    assert subjects == ["Your code to sign in", "Your code to reset your password"]


def test_a_file_is_whole_or_not_there(outbox: Path, monkeypatch: pytest.MonkeyPatch):
    def fill_the_disk(path: Path, content: bytes) -> int:
        with path.open("wb") as file:
            file.write(content[:100])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fill_the_disk)

    assert str(failure()) == "OSError: No space left on device"
    assert list(outbox.iterdir()) == []


def test_checking_the_outbox_writes_nothing(outbox: Path):
    check_mail_server()

    assert list(outbox.iterdir()) == []


@pytest.mark.parametrize("call", [send, check_mail_server])
def test_an_outbox_that_cannot_be_made(outbox: Path, call: Any):
    outbox.write_text("a file")

    assert type(failure(call)) is MailServerDown


def test_tests_themselves_send_nothing():
    send()

    assert [mail.subject for mail in django_mail.outbox] == ["Your code to sign in"]


def test_a_reason_is_told_in_the_language_of_the_mail() -> None:
    reason = json.dumps(Reason("page_too_short", limit=200).to_json())

    spanish = render("source_failed", "es", {**CONTEXT, "reason": reason})
    english = render("source_failed", "en", {**CONTEXT, "reason": reason})

    assert "La página tiene muy poco texto: menos de 200 caracteres." in spanish.text
    assert "The page has too little text: fewer than 200 characters." in english.text


# --- Answers --------------------------------------------------------------------------------------


def test_an_answer_to_the_mail_of_a_lead_goes_to_the_customer():
    send_mail("ana@munoz.es", "lead", "es", CONTEXT | {"reply_to": "eva@example.org"})

    assert django_mail.outbox[0].reply_to == ["eva@example.org"]


@pytest.mark.parametrize(
    "address", [f"eva@{'ñ' * 80}.example", "eva@example.org\nBcc: all@example.org"]
)
def test_a_customers_address_that_is_none_costs_no_mail(address: str):
    send_mail("ana@munoz.es", "lead", "es", CONTEXT | {"reply_to": address})

    [sent] = django_mail.outbox
    assert sent.message()["Bcc"] is None
    assert "\n" not in str(sent.message()["Reply-To"] or "")
