"""Why a shop, a model or a record could not be read, in words for customers."""

WRONG_KEY = "Odoo does not accept the API key any more. It may have expired: connect a new one."
WRONG_DATABASE = "Odoo does not know this database."
NO_ODOO = "There is no Odoo at this address. Copy it from your browser, with https://."
NEEDED = "This version of Odoo (before 19) needs it."
NO_DATABASE_NOW = "The database of Odoo does not answer. Try again later."
NOT_ALLOWED = "The user whose API key it is may not read this in Odoo."
MALFORMED = "Odoo sent an answer that cannot be read. Try again later."
TOO_LARGE = "It is too large."
NO_FIELDS = (
    "None of the chosen fields is there any more, or not for the user whose API key it is."
    " Choose others."
)
NOTHING_CHOSEN = "Nothing is chosen that could be read. Choose what is read, then sync."
NOTHING_FOUND = "The user whose API key it is may read no products, taxes or articles in Odoo."
NO_SHOP = "No shop is connected to this source. Connect one, then sync."
REFUSED = "Odoo refuses it: {reason}"  # in Odoo's own words
UNKNOWN_FIELD = "The filter names a field that is not there: {name}."
