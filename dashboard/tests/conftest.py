"""What the tests of all sections share."""

import pytest
from django.test import Client

from accounts.models import Tenant
from dashboard.tests.factories import pages_of


@pytest.fixture
def pages(tenant: Tenant) -> Client:
    """A browser in which an admin of `tenant` is signed in."""
    return pages_of(tenant)
