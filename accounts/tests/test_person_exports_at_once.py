"""Of many who ask, or make, at once: one."""

from accounts.errors import ExportUnderWay
from accounts.leaving.person_exports import claim_next
from accounts.models import PersonExport, Tenant, User
from accounts.services.leaving.person_exports import ask_export
from accounts.tests.factories import make_user
from config.tests.parallel import in_parallel


def is_taken(user: User) -> bool:
    try:
        ask_export(user)
    except ExportUnderWay:
        return False
    return True


def test_fifty_times_asked_one_is_made(committed_tenant: Tenant) -> None:
    ana = make_user(committed_tenant)

    assert in_parallel(lambda: is_taken(ana)).count(True) == 1
    assert PersonExport.objects.filter(user=ana).count() == 1


def test_of_fifty_workers_one_makes_one(committed_tenant: Tenant) -> None:
    for _ in range(5):
        ask_export(make_user(committed_tenant))

    claimed = [export for export in in_parallel(claim_next) if export is not None]

    assert len(claimed) == 1
    assert PersonExport.objects.filter(state="working").count() == 1
