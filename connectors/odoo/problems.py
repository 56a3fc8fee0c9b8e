"""Why a shop, a model or a record could not be read, in words for customers."""

from reasons import Reason

WRONG_KEY = Reason("odoo_key_refused")
WRONG_DATABASE = Reason("odoo_database_unknown")
NO_ODOO = Reason("odoo_not_found")
NEEDED = Reason("odoo_needs_field")
NO_DATABASE_NOW = Reason("odoo_database_silent")
NOT_ALLOWED = Reason("odoo_forbidden")
MALFORMED = "Odoo sent an answer that cannot be read. Try again later."
TOO_LARGE = Reason("too_large")
NO_FIELDS = Reason("odoo_fields_gone")
NOTHING_CHOSEN = Reason("odoo_nothing_chosen")
NOTHING_FOUND = Reason("odoo_nothing_allowed")
NO_SHOP = Reason("odoo_not_connected")
