"""The state of a source in words: the badge, the reason, and advice."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.models import ScheduleFrequency, Tenant
from config.wording import in_words
from dashboard.kinds import BEING_READ, name_kind
from reasons import Reason
from sources.errors import FileProcessingFailed, OriginalMissing
from sources.models import Source, SyncStatus
from sources.services.copies import name_earlier_copies
from sources.services.freshness import Freshness, freshness_of, list_frequencies
from sources.services.reading import list_read_in_part

FRESHNESS = {
    Freshness.FRESH: ("good", gettext_lazy("Up to date")),
    Freshness.DUE: ("warn", gettext_lazy("Due for an update")),
    Freshness.STALE: ("bad", gettext_lazy("Out of date")),
    Freshness.NEVER: ("", gettext_lazy("Never read")),
}


@dataclass(frozen=True)
class SourceState:
    """The state of a source. `tone`: a class of a badge. `is_live`: it changes by itself.
    `can_sync`: a sync may help. `done` of `total`: its progress; 0 of 0 if it is unknown."""

    label: str
    tone: str
    reason: str = ""
    advice: str = ""
    is_live: bool = False
    can_sync: bool = False
    done: int = 0
    total: int = 0


@dataclass(frozen=True)
class SourceAge:
    tone: str
    label: str
    words: str


@dataclass(frozen=True)
class SourceLine:
    """A source as a list shows it."""

    source: Source
    kind: str
    state: SourceState
    age: SourceAge


def make_lines(tenant: Tenant, sources: Iterable[Source]) -> list[SourceLine]:
    """The lines of the list. Four queries."""
    rows, now = list(sources), timezone.now()
    source_ids = [source.pk for source in rows]
    frequencies = list_frequencies(tenant, source_ids)
    in_part = list_read_in_part(tenant, source_ids)
    copies = name_earlier_copies(tenant, rows)
    return [
        SourceLine(
            source,
            name_kind(source.source_type),
            describe_state(
                source,
                is_read_in_part=source.pk in in_part,
                earlier_copy=copies.get(source.pk, ""),
            ),
            describe_age(source, frequencies.get(source.pk, ScheduleFrequency.MANUAL), now),
        )
        for source in rows
    ]


def describe_age(source: Source, frequency: str, now: datetime) -> SourceAge:
    synced_at = source.last_synced_at
    tone, label = FRESHNESS[freshness_of(synced_at, frequency=frequency, now=now)]
    return SourceAge(tone, str(label), age_in_words(synced_at, now) if synced_at else "")


def age_in_words(moment: datetime, now: datetime) -> str:
    if (now - moment).total_seconds() < 60:
        return _("just now")
    return _("%(age)s ago") % {"age": timesince(moment, now, depth=1)}


def describe_state(source: Source, *, is_read_in_part: bool, earlier_copy: str = "") -> SourceState:
    """The state in words. `earlier_copy`: the name of the upload whose file this one is again; ""
    if there is none."""
    match source.sync_status:
        case SyncStatus.SYNCING:
            return describe_run(source)
        case SyncStatus.SYNCED if is_read_in_part:
            return SourceState(
                _("Partly synced"),
                "warn",
                reason=_("Some of it could not be read. Open the source to see what and why."),
                can_sync=True,
            )
        case SyncStatus.SYNCED if earlier_copy:
            reason = in_words(Reason("same_file_as", name=earlier_copy))
            return SourceState(_("Synced"), "warn", reason=reason, can_sync=True)
        case SyncStatus.SYNCED:
            return SourceState(_("Synced"), "good", can_sync=True)
        case SyncStatus.ERROR:
            return SourceState(
                _("Failed"),
                "bad",
                reason=in_words(source.error),
                advice=advice_after(source),
                can_sync=source.error_code not in NOT_MENDED_BY_A_SYNC,
            )
        case SyncStatus.REAUTH_REQUIRED:
            return SourceState(
                _("No access"),
                "warn",
                reason=in_words(source.error),
                advice=_("Until then, agents keep answering from what was already read.")
                if source.chunks_count
                else "",
            )
    return SourceState(
        _("Not read yet"),
        "",
        advice=_("Sync it so that agents can answer from it."),
        can_sync=True,
    )


NOT_MENDED_BY_A_SYNC = (FileProcessingFailed.code, OriginalMissing.code)


def advice_after(source: Source) -> str:
    if source.error_code in NOT_MENDED_BY_A_SYNC:
        return _("Upload a corrected version of the file, then delete this one.")
    if source.chunks_count:
        return _(
            "Meanwhile, agents keep answering from the last version that was read. Sync it again."
        )
    return _("Fix the cause, then sync it again.")


def describe_run(source: Source) -> SourceState:
    if source.sync_worker_id is None:
        return SourceState(_("Queued"), "busy", reason=_("It will be read shortly."), is_live=True)
    words, done, total = describe_progress(source.sync_progress)
    return SourceState(_("Syncing"), "busy", reason=words, is_live=True, done=done, total=total)


def describe_progress(progress: dict[str, Any]) -> tuple[str, int, int]:
    """The progress in words: of documents if there are several, else of the only one's passages."""
    done, total = (read_count(progress, f"documents_{key}") for key in ("done", "total"))
    if total > 1 or done > 1:
        return documents_in_words(done, total), min(done, total), total
    done, total = (read_count(progress, f"passages_{key}") for key in ("done", "total"))
    if total:
        words = _("%(done)s of %(total)s passages prepared.")
        return words % {"done": done, "total": total}, min(done, total), total
    return str(BEING_READ), 0, 0


def documents_in_words(done: int, total: int) -> str:
    if total > done:
        return _("%(done)s of about %(total)s documents read.") % {"done": done, "total": total}
    return ngettext("%(done)s document read.", "%(done)s documents read.", done) % {"done": done}


def read_count(progress: dict[str, Any], name: str) -> int:
    value = progress.get(name)
    return value if isinstance(value, int) else 0
