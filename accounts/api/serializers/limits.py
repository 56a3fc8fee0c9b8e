"""How long a text may be, where no column says so."""

EMAIL_MAX_CHARS = 254
PASSWORD_MAX_CHARS = 1_000  # more is not a password: it only costs hashing
TOKEN_MAX_CHARS = 4_000
CODE_MAX_CHARS = 20  # six digits, and the spaces that people copy along
