"""Settings of the test suite: the product's, with what a test run must not share or wait for."""

from config.settings import *  # noqa: F403 - the whole point of this module
from config.settings import DATABASES

DATABASES["default"]["OPTIONS"].pop("pool")  # each test process has one connection, and drops its database at the end
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # hundreds of users are made; no test measures hashing
