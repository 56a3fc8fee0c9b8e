"""The reasons, in words for customers, why a business's published texts could not be read."""

from reasons import Reason

RECONNECT = Reason("whatsapp_refused")
NOT_ALLOWED = Reason("whatsapp_right_missing")
NOT_THERE = Reason("whatsapp_gone")
MALFORMED = "WhatsApp sent an answer that cannot be read. Try again later."
NOTHING_CHOSEN = Reason("odoo_nothing_chosen")
NO_CHANNEL = Reason("whatsapp_not_connected")
