"""Fixtures of sources, for the kinds: a storage of one's own, a quick embedder."""

from sources.tests.conftest import fake_embedder, stored_files  # noqa: F401 - fixtures
