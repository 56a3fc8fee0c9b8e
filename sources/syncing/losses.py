"""Nothing disappears because of one bad answer: a run that would lose most of what is known keeps
the old version, says why, and is believed when the next one finds the same.

A website in maintenance answers every address with the same text, a session that has expired sends
every page to the sign-in page, and a list that failed half-way is short.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set

from reasons import Reason
from sources.errors import LossUnconfirmed

# Fewer documents are removed at once: of three pages two may well go.
LOST_MIN = 3
# A broken listing looks like a deletion. If more than half goes at once, a fault is more likely
# than a wish.
LOST_SHARE_MAX = 0.5
REPLACED_MIN = 3  # known documents at whose addresses one and the same other now stands


def check_losses(
    live: Set[str], stay: Set[str], gone: Set[str], replaced: Mapping[str, str]
) -> None:
    """Raises LossUnconfirmed if too much would be lost at once.

    Args:
        live: external ids of the documents that answer now.
        stay: those that the next version has.
        gone: those of which the origin says itself that they are there no more.
        replaced: those at whose addresses others stand now, with the ids of the others.
    """
    lost = live - stay - gone
    if len(lost) >= LOST_MIN and len(lost) > LOST_SHARE_MAX * len(live):
        raise LossUnconfirmed(Reason("loss_unconfirmed", count=len(lost), total=len(live)))
    by = Counter(replaced[name] for name in lost if name in replaced)
    other, count = next(iter(by.most_common(1)), ("", 0))
    if count >= REPLACED_MIN:
        raise LossUnconfirmed(Reason("replaced_by_one", count=count, address=other))
