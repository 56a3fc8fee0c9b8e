"""A sync by hand."""

from __future__ import annotations

import uuid

from kombu.exceptions import OperationalError as BrokerError

from accounts.models import Tenant
from config.errors import ServiceUnavailable
from sources.errors import SyncFailed, SyncInProgress
from sources.models import Source
from sources.runs import begin_run, fail_run
from sources.services.reading import get_source
from sources.tasks import sync_in_background


def start_sync(tenant: Tenant, source_id: uuid.UUID | None) -> Source:
    """Hands a sync of the source to a worker, in any state that it is in.

    Raises:
        SourceNotFound.
        SyncInProgress: a run younger than 30 minutes holds the lock.
        ServiceUnavailable: nothing can be enqueued; the source is then in `error`.
    """
    source = get_source(tenant, source_id)
    run_id = begin_run(tenant, source.pk)
    if run_id is None:
        get_source(tenant, source_id)  # it may have been deleted since
        raise SyncInProgress
    enqueue_sync(source, run_id)
    return source


def enqueue_sync(source: Source, run_id: uuid.UUID) -> None:
    try:
        sync_in_background.delay_on_commit(str(source.tenant_id), str(source.pk), str(run_id))
    except BrokerError as error:
        reason = SyncFailed("The sync could not be started. Sync the source to try again.")
        fail_run(source.tenant, source.pk, run_id=run_id, error=reason)
        raise ServiceUnavailable(
            "Sources cannot be synced at the moment. Try again in a minute."
        ) from error
