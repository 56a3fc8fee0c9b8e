"""What a running product's documents were said to lack is their first warning (migration 0014)."""

import pytest
from django.db import connection

from accounts.models import Tenant
from sources.models import Document
from sources.tests.factories import make_document, make_source
from sources.tests.migrating import migrate_back, upgrade

pytestmark = pytest.mark.slow


def test_what_was_left_out_of_a_document_is_its_warning(tenant: Tenant):
    source = make_source(tenant)
    lossy, whole = make_document(source), make_document(source)

    migrate_back("0013_connectors")
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE sources_document SET outcome = %s WHERE id = %s",
            ['Hidden sheets were left out: "Costes".', lossy.pk],
        )
    upgrade()

    told = dict(Document.objects.for_tenant(tenant).values_list("pk", "warnings"))
    assert told == {lossy.pk: ['Hidden sheets were left out: "Costes".'], whole.pk: []}
