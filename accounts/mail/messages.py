"""The texts of our e-mails, and how other people's words are shown in them.

Texts are in templates/email/: `<template>.txt`, whose first line is the subject, and
`<template>.html`. They are English; the other languages are in templates/locale/.
"""

import json
import re
import unicodedata
from dataclasses import dataclass

from django.template import Context, Engine
from django.utils import translation

from config.wording import in_words
from reasons import Reason

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
    "channel_failed": frozenset({"tenant_name", "agent_name", "channel", "reason", "link"}),
    "source_failed": frozenset({"tenant_name", "source_name", "reason", "link"}),
    "mails_held": frozenset({"tenant_name", "count", "link"}),
}
# Embeddings, overrides and isolates (UAX #9)
TURNS_TEXT = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
# What we write ourselves; everything else somebody chose.
OURS = frozenset(
    ("link", "stop_link", "code", "minutes", "days", "count", "role", "language", "subject")
    + ("notified_at", "signed_in_at", "deleted_on")
)
# Whose they are is the point of the mail. A name without marks cannot be the address of a page.
ADDRESSES = frozenset(("email", "inviter_email", "asked_by"))
PLAIN_ADDRESS = re.compile(r"(?!www\.)[\w!$%&'*+=^`{|}~.-]+@[\w.-]+", re.IGNORECASE)
NAMES = frozenset(("tenant_name", "agent_name", "source_name", "name"))
NAME_MAX_CHARS = 80  # a longer name could carry a message
# Where mail programs would see an address or a link: also at dots of other scripts (IDNA).
LINK_JOINT = re.compile(r"(?<=\S)(?:[.。．｡﹒](?=[^\W\d_]|[\u200c\u200d])|[@＠﹫](?=\S)|:(?=//))")
UNSEEN = re.compile("[\u00ad\u200b\u2060\ufeff]")


@dataclass(frozen=True)
class Message:
    subject: str  # one line
    text: str
    html: str


def render(template: str, language: str, context: dict[str, str]) -> Message:
    """Fills in the mail's template. Raises KeyError when the context lacks what it shows."""
    check_context(template, context)
    with translation.override(language):
        values = {name: show_value(name, value) for name, value in context.items()}
        subject, _, text = fill_template(f"{template}.txt", values, escape=False).partition("\n")
        html = fill_template(
            f"{template}.html", values | {"subject": subject, "language": language}
        )
    return Message(subject, text.strip("\n") + "\n", html)


def check_context(template: str, context: dict[str, str]) -> None:
    """Checks that the context is complete, since Django would show nothing for a missing value.
    Raises KeyError."""
    missing = TEMPLATES[template] - context.keys()
    if missing:
        raise KeyError(f"{template} needs {', '.join(sorted(missing))}")


def fill_template(name: str, values: dict[str, str], *, escape: bool = True) -> str:
    template = Engine.get_default().get_template(f"email/{name}")
    return template.render(Context(values, autoescape=escape))


def show_value(name: str, value: str) -> str:
    """Returns a value as mails show it: other people's words become neither a link nor a whole
    message. Subjects name none of them."""
    value = one_line(write_reason(value) if name == "reason" else value)
    if name in OURS or (name in ADDRESSES and PLAIN_ADDRESS.fullmatch(value)):
        return value
    if name in NAMES and len(value) > NAME_MAX_CHARS:
        value = f"{value[: NAME_MAX_CHARS - 1]}…"
    return unlink(value)


def write_reason(value: str) -> str:
    """Return a reason, given as JSON, in the language of the mail. A mail from before reasons were
    values holds its text."""
    try:
        return in_words(Reason.from_json(json.loads(value)))
    except ValueError:
        return value


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
