"""What beat finds due, over all tenants."""

from datetime import timedelta

from django.utils import timezone

from sources.errors import SyncAbandoned
from sources.models import UPLOADED_TYPES, Source, SyncStatus
from sources.sync import fail_run


def fail_abandoned_uploads(*, older_than: timedelta) -> int:
    """Ends the runs of uploads whose request and worker have both died; returns how many.

    Such a source would say `syncing` for ever. A run that is alive after all loses its lock, and
    then writes nothing.
    """
    abandoned = Source.all_tenants.select_related("tenant").filter(
        source_type__in=UPLOADED_TYPES,
        sync_status=SyncStatus.SYNCING,
        sync_started_at__lt=timezone.now() - older_than,
    )
    runs = [(source, source.sync_run_id) for source in abandoned if source.sync_run_id]
    for source, run_id in runs:
        fail_run(source.tenant, source.pk, run_id=run_id, error=SyncAbandoned())
    return len(runs)
