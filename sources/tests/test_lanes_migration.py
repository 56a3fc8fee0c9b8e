"""What a running product brings with it (migration 0010)."""

import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import Tenant
from sources.models import Lane, Source
from sources.syncing.lanes import claim_next_run
from sources.tests.factories import make_event, make_source
from sources.tests.migrating import migrate_back, upgrade

pytestmark = pytest.mark.slow


def test_a_source_in_error_gets_the_code_of_its_last_failure(tenant: Tenant, other_tenant: Tenant):
    failed = make_source(tenant, sync_status="error", error_message="No text.")
    for code in ("SYNC_FAILED", "FILE_PROCESSING_FAILED"):
        make_event(failed, action="sync_failed", details={"code": code})
    make_event(failed, action="source_renamed")
    account = make_source(other_tenant, sync_status="reauth_required")
    make_event(account, action="reauth_required", details={"code": "REAUTH_REQUIRED"})
    unknown = make_source(tenant, sync_status="error")
    well = make_source(tenant)
    make_event(well, action="sync_failed", details={"code": "SYNC_FAILED"})

    migrate_back("0008_languages_of_vectors")
    upgrade()

    sources = (failed, account, unknown, well)
    codes = [Source.all_tenants.get(pk=source.pk).error_code for source in sources]
    assert codes == ["FILE_PROCESSING_FAILED", "REAUTH_REQUIRED", "", ""]


def test_a_run_that_waited_for_its_task_waits_in_the_background(tenant: Tenant):
    source = make_source(
        tenant,
        sync_status="syncing",
        sync_run_id=uuid.uuid4(),
        sync_started_at=timezone.now(),
        sync_lease_until=timezone.now() + timedelta(minutes=5),  # as it had in its queue
    )

    migrate_back("0008_languages_of_vectors")
    upgrade()

    claimed = claim_next_run(Lane.BACKGROUND)
    assert claimed is not None
    assert claimed.pk == source.pk
