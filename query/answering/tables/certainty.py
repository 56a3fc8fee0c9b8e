"""Tells whether a question surely asks for what was computed: rules about where its words were
found.
"""

from __future__ import annotations

from language.quantity_words import UNITS
from query.answering.tables.asking import Want
from query.answering.tables.computing import Computed

# Information of the question's words that the table does not say. A superlative leaves little doubt
# what is asked; a count and a value are wrong as soon as one condition is not understood.
UNFOUND_MAX = {
    Want.EXTREME: 4.5,
    Want.COUNT: 0.5,
    Want.LIST: 0.5,
    Want.FITS: 5.0,
    Want.VALUE: 1.0,
}
UNFOUND_MAX_NEAR = 7.5  # of one word of a superlative, where the search put the rows first
UNFOUND_MAX_OFF_TOPIC = 2.5  # where nothing that was found is about the question
NEAR_RANK = 1.6
FOUND_MIN = {
    Want.EXTREME: 0.0,
    Want.COUNT: 1.0,
    Want.LIST: 1.0,
    Want.FITS: 0.0,
    Want.VALUE: 3.0,
}
CONDITION_MIN = 1.8  # of a count whose noun the table does not say


def may_be_meant(computed: Computed) -> bool:
    evidence, want = computed.evidence, computed.question.want
    if evidence.quantities_unfound:
        return False
    if want in (Want.COUNT, Want.LIST):
        return is_count(computed)
    if want is Want.EXTREME and is_limited(computed):
        return False
    most = UNFOUND_MAX[want]
    is_noun = len(evidence.unfound_words) == 1 and not evidence.cells
    if want is Want.EXTREME and is_noun and evidence.rank >= NEAR_RANK:
        most = UNFOUND_MAX_NEAR
    return evidence.unfound <= most


def is_limited(computed: Computed) -> bool:
    """True if the question has a condition that the table does not tell: it must not be left out of
    the comparison."""
    evidence = computed.evidence
    is_of_table = evidence.topic + evidence.cells > 0 or len(evidence.unfound_words) > 1
    unit = computed.column.unit if computed.column else ""
    words = [one for one in evidence.unfound_words if not unit or unit_of_word(one) != unit]
    return any(computed.question.is_demanded(word, is_of_table=is_of_table) for word in words)


def unit_of_word(word: str) -> str:
    """ "hour" of "hours", by which something is compared; "" for other words."""
    return UNITS.get(word, ("", 1.0))[0]


def is_count(computed: Computed) -> bool:
    """Tells whether the rows answer a "how many". One row is more often the row of a value than a
    count of one."""
    evidence = computed.evidence
    conditions = evidence.yes + 3.0 * evidence.quantities
    is_list = computed.question.want is Want.LIST
    if is_list and not is_selection(computed):
        return False
    is_condition = evidence.yes or evidence.quantities or (is_list and evidence.kinds)
    if len(computed.rows) == 1 and not is_condition:
        return False
    if evidence.unfound <= UNFOUND_MAX[Want.COUNT]:
        return True
    is_noun = set(evidence.unfound_words) <= {computed.question.noun}
    return is_noun and conditions >= CONDITION_MIN and evidence.rank > 0


def is_selection(computed: Computed) -> bool:
    """Some rows and not all, of what the table is of: not «¿de qué país son los paneles?»."""
    evidence = computed.evidence
    is_conditioned = bool(evidence.yes or evidence.quantities or evidence.kinds)
    is_of_table = computed.question.noun not in evidence.unfound_words
    return is_conditioned and is_of_table and len(computed.rows) < len(computed.table.rows)


def is_certain(computed: Computed, *, is_on_topic: bool) -> bool:
    """Tells whether the table surely answers. `is_on_topic`: the search found passages that are
    about the question; where it did not, the table has to say nearly all of its words."""
    evidence, want = computed.evidence, computed.question.want
    if not is_on_topic and evidence.unfound > UNFOUND_MAX_OFF_TOPIC:
        return False
    if evidence.found + 2.0 * evidence.quantities < FOUND_MIN[want]:
        return False
    if want is Want.FITS and not evidence.quantities:
        return False
    return want is not Want.VALUE or evidence.cells > 0
