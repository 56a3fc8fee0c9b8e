"""The texts of playground.js, in the reader's language."""

from __future__ import annotations

from django.utils.translation import gettext as _

from query.explaining import Reason


def list_words() -> dict[str, object]:
    return {
        "you": _("You asked:"),
        "thinking": _("Looking for the answer…"),
        "sources": _("Sources"),
        "noSources": _("No source."),
        "similarity": _("similarity {value}"),
        "why": _("Why this answer"),
        "understood": _("Understood as: {text}"),
        "unmentioned": _("No passage mentions: {names}"),
        "relevance": _("relevance: {value}"),
        "notJudged": _("too far down the list to be scored"),
        "used": _("Used in the answer"),
        "notUsed": _("Not used"),
        "threshold": _(
            "Passages are used if they score at least {source} and the best one scores at"
            " least {answer}."
        ),
        "certainty": _(
            "The best sentence answers the question with a certainty of {value} ({needed}"
            " is needed):"
        ),
        "passages": _("Passages found, best first. Words from the question are highlighted."),
        "broken": _("The answer was cut off. Ask again."),
        "unreachable": _("The server cannot be reached. Check your connection and ask again."),
        "reload": _("This page was open for too long. Reload it, then ask again."),
        "cleared": _("New conversation started."),
        "confidence": {
            "answered": _("Answered"),
            "unsure": _("Unsure"),
            "none": _("No source"),
        },
        "reasons": name_reasons(),
    }


def name_reasons() -> dict[str, str]:
    return {
        Reason.CERTAIN: _("A sentence in the passages answers the question with enough certainty."),
        Reason.UNCERTAIN: _(
            "The passages are about the question, but no sentence answers it with enough"
            " certainty, so the closest ones are quoted."
        ),
        Reason.WRITTEN: _(
            "A language model wrote the answer from the passages. Sentences that no"
            " passage supports were left out."
        ),
        Reason.DECLINED: _(
            "The language model wrote nothing that the passages support, so the closest"
            " sentences are quoted."
        ),
        Reason.MODEL_FAILED: _("The language model did not answer in time or returned an error."),
        Reason.IRRELEVANT: _(
            "No passage is about the question, so the agent says that it does not know."
        ),
        Reason.NOTHING_INDEXED: _("The agent's sources do not contain anything to search yet."),
        Reason.SMALL_TALK: _("The message was understood as small talk, so nothing was searched."),
        Reason.CONTACT_TAKEN: _(
            "The message was understood as the contact details of a customer who wants to"
            " buy, so nothing was searched."
        ),
    }
