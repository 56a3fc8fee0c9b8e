"""Settings of the test suite: the product's, with what a test run must not share or wait for."""

import os

# The smaller of the two bundled models, for what only needs one; in the environment, so that what
# tests start has the same. Before the settings read it.
os.environ.setdefault("EMBEDDING_MODEL", "all-MiniLM-L6-v2")

from config.settings import *  # noqa: F403 - the whole point of this module
from config.settings import DATABASES

# Each test process has one connection, and drops its database at the end
DATABASES["default"]["OPTIONS"].pop("pool")
if "TEST_DATABASE_NAME" in os.environ:  # two runs at once on one server
    DATABASES["default"]["TEST"] = {"NAME": os.environ["TEST_DATABASE_NAME"]}
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.MD5PasswordHasher"
]  # hundreds of users are made; no test measures hashing
UNIFORM_ANSWER_SECONDS = 0.0  # a test of it sets its own
# Else every test client reads the whole of the static files first: 20 ms of processor each.
WHITENOISE_AUTOREFRESH = True
# Fifty at once on a busy machine wait for each other; a test of the limit sets its own.
STATEMENT_SECONDS = 120
