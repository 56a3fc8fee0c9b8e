"""Of many that bring one secret at the same moment, one gets something for it."""

from collections.abc import Iterator

import pytest

from accounts.models import Program, ProgramAccess, Tenant
from accounts.services.programs import list_accesses
from accounts.tests.factories import make_user
from accounts.tests.programs.flow import SigningIn, signing_in
from config.tests.parallel import in_parallel


@pytest.fixture
def program(committed_tenant: Tenant) -> Iterator[SigningIn]:
    """With rows that other connections see."""
    one = signing_in(committed_tenant, make_user(committed_tenant))
    yield one
    Program.objects.filter(client_id=one.client_id).delete()


def test_of_many_exchanges_of_one_code_at_once_one_succeeds(
    committed_tenant: Tenant, program: SigningIn
) -> None:
    code = program.permit()

    def exchange() -> int:
        one = SigningIn(program.membership, program.client_id)
        return int(one.exchange(code).status_code)

    statuses = in_parallel(exchange, times=50)

    assert sorted(statuses) == [200] + [400] * 49
    assert ProgramAccess.objects.for_tenant(committed_tenant).get().revoked_at is not None


def test_of_many_refreshes_with_one_token_at_once_one_succeeds(
    committed_tenant: Tenant, program: SigningIn
) -> None:
    token = program.sign_in()["refresh_token"]

    def refresh() -> int:
        one = SigningIn(program.membership, program.client_id)
        return int(one.refresh(token).status_code)

    statuses = in_parallel(refresh, times=50)

    assert sorted(statuses) == [200] + [400] * 49
    assert ProgramAccess.objects.for_tenant(committed_tenant).get().revoked_at is not None


def test_of_many_codes_exchanged_at_once_one_access_stays(
    committed_tenant: Tenant, program: SigningIn
) -> None:
    codes = [program.permit() for _ in range(25)]

    def exchange() -> int:
        one = SigningIn(program.membership, program.client_id)
        return int(one.exchange(codes.pop()).status_code)

    assert in_parallel(exchange, times=25) == [200] * 25
    assert list_accesses(committed_tenant).count() == 1
