"""A world that is made once for a module's tests, each of them inside `undone()`: to make it takes
longer than a test."""

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.test import override_settings
from pytest_django import DjangoDbBlocker

from config.tests.isolation.matrix import undone
from config.tests.isolation.world import World, make_world


@pytest.fixture(scope="module")
def whole_world(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[World]:
    """In a transaction that ends with the module."""
    stored_files = {"location": str(tmp_path_factory.mktemp("media"))}
    default = settings.STORAGES["default"]
    storages = {"default": {**default, "OPTIONS": {**default["OPTIONS"], **stored_files}}}
    with (
        override_settings(STORAGES={**settings.STORAGES, **storages}),
        django_db_blocker.unblock(),
        undone(),
    ):
        yield make_world()
