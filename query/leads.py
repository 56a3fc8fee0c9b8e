"""Leads: somebody who wants to buy, in two turns."""

from __future__ import annotations

from dataclasses import dataclass

from query.inquiries import Inquiry


@dataclass(frozen=True)
class LeadTurn:
    """What a message meant for its session's lead.

    `remark` goes behind the answer: it asks for contact data, or thanks for it. `answers_alone`:
    the message was contact data and no question; the remark is the whole answer.
    """

    remark: str = ""
    answers_alone: bool = False


def take_lead_turn(inquiry: Inquiry) -> LeadTurn:
    return LeadTurn()
