"""The texts of playground.js, in the reader's language."""

from __future__ import annotations

from django.utils.translation import gettext as _

from query.explaining import Reason


def list_words() -> dict[str, object]:
    return {
        "you": _("You asked:"),
        "thinking": _("Looking for the answer…"),
        "sources": _("Sources"),
        "noSources": _("Without a source."),
        "similarity": _("similarity {value}"),
        "why": _("Why this answer"),
        "understood": _("Read as: {text}"),
        "unmentioned": _("No passage mentions: {names}"),
        "relevance": _("about the question: {value}"),
        "notJudged": _("too far behind to be judged"),
        "used": _("Answered from"),
        "notUsed": _("Not used"),
        "threshold": _("A passage is used from {source} on, when the best one has {answer}."),
        "certainty": _(
            "The best sentence answers with a certainty of {value}; {needed} is needed:"
        ),
        "passages": _("Passages found, best first. Words of the question are marked."),
        "broken": _("The answer was cut off. Ask again."),
        "unreachable": _("The server cannot be reached. Check your connection and ask again."),
        "reload": _("This page was open for too long. Reload it, then ask again."),
        "cleared": _("A new conversation begins."),
        "confidence": {
            "answered": _("Answered"),
            "unsure": _("Unsure"),
            "none": _("No source"),
        },
        "reasons": name_reasons(),
    }


def name_reasons() -> dict[str, str]:
    return {
        Reason.CERTAIN: _("A sentence of the passages is certain enough to answer the question."),
        Reason.UNCERTAIN: _(
            "The passages are about the question, but no sentence is certain enough to answer it:"
            " the closest ones are quoted."
        ),
        Reason.WRITTEN: _(
            "A language model wrote it from the passages. Sentences that no passage supports were"
            " left out."
        ),
        Reason.DECLINED: _(
            "The language model wrote nothing that the passages support: the closest sentences are"
            " quoted."
        ),
        Reason.MODEL_FAILED: _("The language model did not answer in time, or with an error."),
        Reason.IRRELEVANT: _("No passage is about the question: it says so, and invents nothing."),
        Reason.NOTHING_INDEXED: _("The agent's sources hold nothing yet that it could find."),
        Reason.SMALL_TALK: _("It was taken for small talk: nothing was looked for."),
        Reason.CONTACT_TAKEN: _(
            "It was taken for contact data of somebody who wants to buy: nothing was looked for."
        ),
    }
