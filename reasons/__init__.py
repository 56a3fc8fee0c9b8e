"""Reasons why something failed, was left out or has to wait, as values: made where it happens, kept
as JSON, and written out once, in English for the API and in the reader's language on pages and in
mails.

A library: it imports neither Django nor an app, and the confined process that reads files has it
too. Start with reason.py; catalogue.py has the texts.
"""

from reasons.reason import InvalidReason, Reason, ReasonedError, as_reason, is_reason, join_reasons

__all__ = ["InvalidReason", "Reason", "ReasonedError", "as_reason", "is_reason", "join_reasons"]
