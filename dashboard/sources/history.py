"""The history of a source, as sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, ngettext_lazy

from config.wording import in_words
from dashboard.sources.forms import NOT_IN_PLAN
from reasons import Reason
from sources.services.reading import HistoryEntry

FAILURES_SHOWN = 50

TITLES = {
    "source_created": gettext_lazy("Added"),
    "sync_started": gettext_lazy("Sync started"),
    "sync_completed": gettext_lazy("Sync completed"),
    "sync_failed": gettext_lazy("Sync failed"),
    "sync_superseded": gettext_lazy("Sync interrupted and restarted"),
    "reauth_required": gettext_lazy("The account needs to be reconnected"),
    "source_renamed": gettext_lazy("Renamed"),
    "source_deleted": gettext_lazy("Deleted"),
    "schedule_stopped": gettext_lazy("Schedule stopped"),
}

OUTCOME_WORDS = {
    "added": ngettext_lazy("%(count)s new", "%(count)s new", "count"),
    "updated": ngettext_lazy("%(count)s changed", "%(count)s changed", "count"),
    "removed": ngettext_lazy("%(count)s removed", "%(count)s removed", "count"),
    "unchanged": ngettext_lazy("%(count)s unchanged", "%(count)s unchanged", "count"),
    "failed": ngettext_lazy("%(count)s could not be read", "%(count)s could not be read", "count"),
}


@dataclass(frozen=True)
class HistoryLine:
    title: str
    detail: str
    at: datetime


@dataclass(frozen=True)
class FailedDocument:
    name: str
    reason: str


def describe_entry(entry: HistoryEntry) -> HistoryLine:
    title = TITLES.get(entry.action)
    return HistoryLine(
        str(title) if title else entry.action,
        describe_details(entry.action, entry.details),
        entry.created_at,
    )


def describe_details(action: str, details: Mapping[str, Any]) -> str:
    match action:
        case "sync_completed":
            losses = _("Not all of it could be read.") if details.get("warnings") else ""
            return " ".join(
                filter(None, (count_documents(details), read_reason(details.get("cut")), losses))
            )
        case "sync_failed" | "reauth_required":
            return read_reason(details.get("message"))
        case "source_renamed":
            return _("From “%(old)s” to “%(new)s”.") % {
                "old": details.get("from", ""),
                "new": details.get("to", ""),
            }
        case "schedule_stopped" if details.get("code") == "SOURCE_LIMIT_REACHED":
            return _(
                "Your plan does not allow another connected source. Delete one or change"
                " the plan, then set the schedule again."
            )
        case "schedule_stopped":
            return str(NOT_IN_PLAN)
    return ""


def count_documents(details: Mapping[str, Any]) -> str:
    """The counts in words: "3 new, 40 unchanged"; zeros are left out."""
    counts = details.get("documents")
    if not isinstance(counts, Mapping):
        return ""
    parts = [
        words % {"count": count}
        for name, words in OUTCOME_WORDS.items()
        if isinstance(count := counts.get(name), int) and count
    ]
    return f"{', '.join(parts)}." if parts else ""


def read_reason(given: object) -> str:
    return in_words(Reason.from_json(given)) if given else ""


def list_failures(entries: Sequence[HistoryEntry]) -> tuple[list[FailedDocument], str]:
    """The first documents that the last completed sync could not read; and, if there are more, a
    sentence with their number."""
    last = next((entry for entry in entries if entry.action == "sync_completed"), None)
    outcomes = last.details.get("outcomes") if last else None
    if last is None or not isinstance(outcomes, list):
        return [], ""
    failed = [
        FailedDocument(str(item.get("document", "")), read_reason(item.get("reason")))
        for item in outcomes
        if isinstance(item, Mapping) and item.get("outcome") == "failed"
    ][:FAILURES_SHOWN]
    more = last.details.get("documents", {}).get("failed", 0) - len(failed)
    words = ngettext("… and %(count)s more.", "… and %(count)s more.", max(more, 0))
    return failed, words % {"count": more} if more > 0 else ""
