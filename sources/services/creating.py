"""New sources without a file: websites, and connectors in reference mode."""

from __future__ import annotations

from django.db import IntegrityError, transaction

from accounts.models import Tenant
from config.connections import release_connection
from config.errors import Conflict, MissingFields
from config.http import check_public_url
from sources.connectors.web.urls import normalize_url
from sources.errors import InvalidSourceType
from sources.models import UPLOADED_TYPES, Source, SourceType, SyncEvent
from sources.runs import record_event
from sources.services.new_sources import check_connectors_limit, lock_tenant, next_position

CREATED_TYPES = tuple(kind for kind in SourceType if kind not in UPLOADED_TYPES)


def create_source(tenant: Tenant, *, name: str, source_type: str, source_url: str = "") -> Source:
    """Makes a source that is `pending` until its first sync. Asks a name server for websites.

    Raises:
        InvalidSourceType: there is none of this name, or it is uploaded.
        MissingFields: a website without its address.
        InvalidValue: an address that may not be fetched.
        Conflict: the tenant has this website already.
        SourceLimitReached: the plan holds no further one.
    """
    if source_type not in CREATED_TYPES:
        raise InvalidSourceType(f"source_type must be one of: {', '.join(CREATED_TYPES)}.")
    source = Source(tenant=tenant, name=name, source_type=source_type, source_url=source_url)
    if source_type == SourceType.WEB:
        source.normalized_url = identify_website(source_url)
    save_connector(source)
    return source


def identify_website(url: str) -> str:
    """What makes two websites the same. Raises MissingFields, InvalidValue."""
    if not url:
        raise MissingFields("Missing: source_url.")
    release_connection()
    check_public_url(url)
    return normalize_url(url)


@transaction.atomic
def save_connector(source: Source) -> None:
    """Raises Conflict, SourceLimitReached."""
    tenant = lock_tenant(source.tenant)
    refuse_duplicate(source)
    check_connectors_limit(tenant)
    source.position = next_position(tenant)
    try:
        with transaction.atomic():
            source.save(force_insert=True)
    except IntegrityError:  # the second wall: whoever wrote the other one held no lock
        refuse_duplicate(source)
        raise
    record_event(tenant, source, SyncEvent.Action.SOURCE_CREATED)


def refuse_duplicate(source: Source) -> None:
    """Raises Conflict, which names the website that is there."""
    if not source.normalized_url:
        return
    sources = Source.objects.for_tenant(source.tenant)
    same = sources.filter(normalized_url=source.normalized_url).first()
    if same is not None:
        raise Conflict(f'The source "{same.name}" ({same.pk}) has this address already.')
