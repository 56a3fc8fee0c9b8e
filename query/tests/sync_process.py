"""Runs syncs as a worker does, in a process that a test can kill.

`python -m query.tests.sync_process` reads lines "tenant_id source_id run_id"; it writes "ready"
once and "done" after each.
"""

import sys
import uuid

import django

from config.database.acting import as_tenant


def main() -> None:
    django.setup()
    from accounts.models import Tenant
    from sources.embedding.embedder import get_embedder
    from sources.syncing.sync import sync_source

    get_embedder().read_question("warm")
    print("ready", flush=True)  # noqa: T201 - this is how it talks to the test
    for line in sys.stdin:
        tenant_id, source_id, run_id = map(uuid.UUID, line.split())
        with as_tenant(tenant_id):
            sync_source(Tenant.objects.get(pk=tenant_id), source_id, run_id=run_id)
        print("done", flush=True)  # noqa: T201 - likewise


if __name__ == "__main__":
    main()
