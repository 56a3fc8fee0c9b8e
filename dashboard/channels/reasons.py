"""Translates the English sentences that channels store into the reader's language."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

# Sentences of channels/, which may stand together, and with a messenger's own words between them.
SENTENCES = (
    gettext_noop("The channel was not connected, and nothing was changed."),
    gettext_noop(
        "The messenger does not accept the bot token. "
        "Copy it again from BotFather and connect the channel anew."
    ),
    gettext_noop("This person blocked the bot, or closed their account or the chat."),
    gettext_noop("The messenger refused the webhook:"),
    gettext_noop("The messenger says:"),
    gettext_noop("The messenger does not accept the connection of this phone number."),
    gettext_noop("The messenger does not deliver messages to this person."),
    gettext_noop(
        "More than 24 hours passed since this person last wrote: the messenger lets us answer no"
        " later."
    ),
    gettext_noop("The messenger did not answer in time. Try again in a few minutes."),
    gettext_noop("The messenger cannot be reached at the moment. Try again in a few minutes."),
    gettext_noop("This bot now answers for the agent"),
    gettext_noop("Connect another bot here, or disconnect it."),
    gettext_noop(
        "Calls come in whose signature is wrong: somebody else sends them, or the secrets have"
        " changed. If messages do not arrive, connect the channel again."
    ),
    gettext_noop("Visitors get no answers."),
    gettext_noop(
        "People wait for their answers: more are asked in a minute than the plan allows requests."
    ),
)


def in_our_words(message: str) -> str:
    """Known sentences translated; what else stands in it stays."""
    for sentence in SENTENCES:
        message = message.replace(sentence, _(sentence))
    return message
