"""Runs syncs as a worker does, in a process that a test can kill.

It is sent (tenant's id, source's id, run's id); it sends "ready" once and "done" after each.
"""

from collections.abc import Mapping
from multiprocessing.connection import Connection

from django.conf import settings

from accounts.models import Tenant
from config.database.acting import as_tenant
from sources.embedding.embedder import get_embedder
from sources.syncing.sync import sync_source


def work(orders: Connection, over: Mapping[str, object]) -> None:
    """`over`: settings of this process alone."""
    for name, value in over.items():
        setattr(settings, name, value)
    get_embedder().read_question("warm")
    orders.send("ready")
    while True:
        tenant_id, source_id, run_id = orders.recv()
        with as_tenant(tenant_id):
            sync_source(Tenant.objects.get(pk=tenant_id), source_id, run_id=run_id)
        orders.send("done")
