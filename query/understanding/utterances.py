"""Reads what somebody wrote, once: at the door; the inquiry hands it on."""

from __future__ import annotations

from dataclasses import dataclass

from language.detection import HINT, SURE, message_evidence, tell
from language.words import Language
from query.understanding.small_talk import SmallTalk, small_talk_of


@dataclass(frozen=True)
class Utterance:
    """A message, understood. `spanish_evidence`: above 0 for Spanish, below for English, near 0
    where the words do not tell. `small_talk` None: it says or asks something."""

    text: str
    spanish_evidence: float
    small_talk: SmallTalk | None

    def language(self, likely: Language) -> Language:
        """The language of a message that nothing came before; `likely` when its words do
        not tell."""
        return tell(self.spanish_evidence, likely, sure=HINT)

    def language_after(self, before: Language) -> Language:
        """The language of a message after others in the language `before`; its words must be
        certain to change it."""
        return tell(self.spanish_evidence, before, sure=SURE)


def read_utterance(text: str) -> Utterance:
    return Utterance(text, message_evidence(text), small_talk_of(text))
