import pytest

from accounts.models import Role, Tenant, User
from accounts.tests.factories import make_user
from accounts.tests.programs.flow import SigningIn, signing_in


@pytest.fixture
def ana(tenant: Tenant) -> User:
    return make_user(tenant, role=Role.MEMBER, email="ana@acme.example")


@pytest.fixture
def program(tenant: Tenant, ana: User) -> SigningIn:
    return signing_in(tenant, ana)
