"""The product's settings, with the one address of slow_stream.py."""

from config.settings import *  # noqa: F403 - the whole point of this module

ROOT_URLCONF = "query.tests.slow_stream"
