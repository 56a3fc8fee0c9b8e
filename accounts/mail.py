"""The texts of our e-mails, and handing one to the mail server now.

Texts are in templates/email/: `<template>.txt`, whose first line is the subject, and
`<template>.html`. They are English; the other languages are in templates/locale/.
"""

import logging
import re
import smtplib
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import make_msgid, parseaddr

from django.conf import settings
from django.core.mail import EmailMultiAlternatives, get_connection
from django.core.mail.message import sanitize_address
from django.template import Context, Engine
from django.utils import translation

logger = logging.getLogger(__name__)

# What each template needs to be told. Those of query/notifications/recipients.py take a `stop_link`
# besides.
TEMPLATES = {
    "signup_code": frozenset({"code", "minutes", "tenant_name", "tenant_slug"}),
    "signup_known": frozenset({"link"}),
    "login_code": frozenset({"code", "minutes"}),
    "reset_code": frozenset({"code", "minutes"}),
    "invitation": frozenset({"tenant_name", "inviter_email", "role", "link", "days"}),
    "password_changed": frozenset({"tenant_name"}),
    "two_factor_enabled": frozenset({"tenant_name"}),
    "two_factor_disabled": frozenset({"tenant_name"}),
    "second_factor_guessed": frozenset({"tenant_name", "address"}),
    "new_sign_in": frozenset({"tenant_name", "signed_in_at", "device", "address", "link"}),
    "workspace_export": frozenset({"tenant_name", "asked_by", "days", "link"}),
    "workspace_deletion": frozenset({"tenant_name", "asked_by", "deleted_on", "link"}),
    "lead": frozenset(
        {
            "tenant_name",
            "agent_name",
            "channel",
            "name",
            "email",
            "phone",
            "intent_text",
            "notified_at",
            "link",
        }
    ),
    "source_failed": frozenset({"tenant_name", "source_name", "reason", "link"}),
    "mails_held": frozenset({"tenant_name", "count", "link"}),
}
PERMANENT_FAILURE = 500  # an SMTP reply of this or more; less is "try again" (RFC 5321, 4.2.1)
POLICY_STATUS = "5.7."  # the server minds who asks, not the recipient (RFC 3463, 3.8)
# Embeddings, overrides and isolates (UAX #9)
TURNS_TEXT = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
# What we write ourselves; everything else somebody chose.
OURS = frozenset(
    ("link", "stop_link", "code", "minutes", "days", "count", "role", "language", "subject")
    + ("notified_at", "signed_in_at", "deleted_on")
)
# Whose they are is the point of the mail. One that is written plainly can be no address of a page.
ADDRESSES = frozenset(("email", "inviter_email", "asked_by"))
PLAIN_ADDRESS = re.compile(r"(?!www\.)[\w!$%&'*+=^`{|}~.-]+@[\w.-]+", re.IGNORECASE)
NAMES = frozenset(("tenant_name", "agent_name", "source_name", "name"))
NAME_MAX_CHARS = 80  # a name is no message
# Where mail programs would see an address or a link: also at dots of other scripts (IDNA).
LINK_JOINT = re.compile(r"(?<=\S)(?:[.。．｡﹒](?=[^\W\d_]|[\u200c\u200d])|[@＠﹫](?=\S)|:(?=//))")
UNSEEN = re.compile("[\u00ad\u200b\u2060\ufeff]")
STATUS = re.compile(rb"\d\.\d{1,3}\.\d{1,3}\b")  # an enhanced status code (RFC 3463)


class MailFailed(Exception):
    """A mail that the mail server did not take. The message tells an operator why, and contains
    nothing of the mail: no address, no code, no link, and no words of the server, which may repeat
    them."""


class MailServerDown(MailFailed):
    """A mail server that takes no mail at all now: it does not answer, or does not let us in."""


class RecipientRefused(MailFailed):
    """A mailbox that does not exist, for good: another attempt would fail as well."""


@dataclass(frozen=True)
class Message:
    subject: str  # one line
    text: str
    html: str


def send_mail(recipient: str, template: str, language: str, context: dict[str, str]) -> None:
    """Waits for the mail server, EMAIL_TIMEOUT for each of its answers.

    Raises MailFailed, MailServerDown, RecipientRefused.
    """
    email = make_email(
        recipient, render(template, language, context), stop_link=context.get("stop_link", "")
    )
    with mail_failures():
        email.send()
    logger.info("mail %s sent", template)


def check_mail_server() -> None:
    """Connects and logs in as `send_mail` does, and sends nothing. Raises MailServerDown."""
    with mail_failures():
        connection = get_connection()
        connection.open()
        connection.close()


def render(template: str, language: str, context: dict[str, str]) -> Message:
    """Fills in the mail's template. Raises KeyError when the context lacks what it shows."""
    check_context(template, context)
    values = {name: show(name, value) for name, value in context.items()}
    with translation.override(language):
        subject, _, text = fill(f"{template}.txt", values, escape=False).partition("\n")
        html = fill(f"{template}.html", values | {"subject": subject, "language": language})
    return Message(subject, text.strip("\n") + "\n", html)


def check_context(template: str, context: dict[str, str]) -> None:
    """Checks that the context is complete, since Django would show nothing for a missing value.
    Raises KeyError."""
    missing = TEMPLATES[template] - context.keys()
    if missing:
        raise KeyError(f"{template} needs {', '.join(sorted(missing))}")


def fill(name: str, values: dict[str, str], *, escape: bool = True) -> str:
    template = Engine.get_default().get_template(f"email/{name}")
    return template.render(Context(values, autoescape=escape))


def show(name: str, value: str) -> str:
    """Returns a value as mails show it: other people's words become neither a link nor a whole
    message. Subjects name none of them."""
    value = one_line(value)
    if name in OURS or (name in ADDRESSES and PLAIN_ADDRESS.fullmatch(value)):
        return value
    if name in NAMES and len(value) > NAME_MAX_CHARS:
        value = f"{value[: NAME_MAX_CHARS - 1]}…"
    return unlink(value)


def unlink(text: str) -> str:
    """Puts a space into each address, because mail programs make links of bare ones."""
    return LINK_JOINT.sub(r"\g<0> ", UNSEEN.sub("", text))


def one_line(value: str) -> str:
    """Removes from other people's words line breaks, which would end a header or begin a paragraph,
    and signs that turn the text around them."""
    shown = (" " if is_control(sign) else sign for sign in value)
    return " ".join("".join(shown).split())


def is_control(sign: str) -> bool:
    return unicodedata.category(sign) == "Cc" or unicodedata.bidirectional(sign) in TURNS_TEXT


def make_email(recipient: str, message: Message, *, stop_link: str = "") -> EmailMultiAlternatives:
    """Makes the mail, marked as written by a machine (RFC 3834), so that no absence note answers.
    With a `stop_link`, mail programs show a button that stops such mails (RFC 2369, RFC 8058).

    Raises RecipientRefused where no mail can be addressed to it.
    """
    sender_domain = parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2]
    email = EmailMultiAlternatives(
        message.subject,
        message.text,
        to=[clean_address(recipient)],
        headers={
            "Auto-Submitted": "auto-generated",
            # Django's own would hold this machine's name.
            "Message-ID": make_msgid(domain=sender_domain),
            **(stop_headers(stop_link) if stop_link else {}),
        },
    )
    email.attach_alternative(message.html, "text/html")
    return email


def stop_headers(link: str) -> dict[str, str]:
    return {
        "List-Unsubscribe": f"<{link}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }


def clean_address(recipient: str) -> str:
    """Returns the address in the form that goes into a header. Raises RecipientRefused: a domain
    may be too long in IDNA."""
    try:
        return sanitize_address(recipient, "utf-8")
    except ValueError:
        raise RecipientRefused("No mail can be addressed so") from None


@contextmanager
def mail_failures() -> Iterator[None]:
    """Turns what smtplib and sockets raise into MailFailed; what is our own mistake stays."""
    try:
        yield
    except smtplib.SMTPRecipientsRefused as error:
        raise refusal(error) from None
    except (smtplib.SMTPSenderRefused, smtplib.SMTPDataError) as error:
        raise MailFailed(describe(error, error.smtp_code)) from None
    except smtplib.SMTPResponseException as error:  # at the greeting or the login
        raise MailServerDown(describe(error, error.smtp_code)) from None
    except smtplib.SMTPException as error:
        raise MailServerDown(type(error).__name__) from None
    except OSError as error:
        raise MailServerDown(f"{type(error).__name__}: {error.strerror or error}") from None


def refusal(error: smtplib.SMTPRecipientsRefused) -> MailFailed:
    """The failure for the only recipient, since each of our mails has one."""
    ((code, words),) = error.recipients.values()
    status = STATUS.match(words)
    enhanced = status.group().decode() if status else ""
    is_final = code >= PERMANENT_FAILURE and not enhanced.startswith(POLICY_STATUS)
    kind = RecipientRefused if is_final else MailFailed
    return kind(f"{describe(error, code)} {enhanced}".strip())


def describe(error: Exception, code: int) -> str:
    return f"{type(error).__name__}: {code}"
