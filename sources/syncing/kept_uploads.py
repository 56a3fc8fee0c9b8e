"""How many uploads a tenant keeps, for the plan."""

from django.db.models import Q

from accounts.models import Tenant, UsageCounter
from accounts.plans.usage import record_kept
from sources.errors import FileProcessingFailed
from sources.models import Source, SyncStatus


def record_uploads(tenant: Tenant) -> None:
    """Notes how many documents are kept, when an upload has come to its end.

    Not when it begins: a file that turns out to be unreadable is not billed. So others that are in
    their first run do not count yet either: each notes its own end.
    """
    never_indexed = Q(last_synced_at=None)
    in_first_run = never_indexed & Q(sync_status=SyncStatus.SYNCING)
    is_unreadable = never_indexed & Q(error_code=FileProcessingFailed.code)
    uploads = Source.objects.for_tenant(tenant).uploads()
    kept = uploads.exclude(in_first_run | is_unreadable).count()
    if kept:
        record_kept(tenant, UsageCounter.Metric.DOCUMENTS, kept)
