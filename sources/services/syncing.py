"""A sync by hand."""

from __future__ import annotations

import uuid
from functools import partial

from django.db import transaction

from accounts.activity import record
from accounts.models import Action, Tenant
from sources.errors import SyncInProgress
from sources.models import Lane, Source
from sources.services.reading import get_source
from sources.syncing.runs import begin_run
from sources.tasks import tell_lane


@transaction.atomic
def start_sync(tenant: Tenant, source_id: uuid.UUID | None) -> Source:
    """Begins a sync of the source, in any state that it is in; a worker does it.

    Raises:
        SourceNotFound.
        SyncInProgress: a run younger than 30 minutes holds the lock.
        SourceLimitReached: the plan has no place for this source.
    """
    source = get_source(tenant, source_id)
    run_id = begin_run(tenant, source.pk)
    if run_id is None:
        get_source(tenant, source_id)  # it may have been deleted since
        raise SyncInProgress
    record(tenant, Action.SOURCE_SYNCED, source)
    transaction.on_commit(partial(tell_lane, Lane.BACKGROUND))
    return source
