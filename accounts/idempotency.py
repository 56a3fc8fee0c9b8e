"""A request with an Idempotency-Key is done once, however often it is sent, and although processes
die (draft-ietf-httpapi-idempotency-key-header-07, read 2026-11-23; Stripe's "Idempotent requests").

A key belongs to a workspace and an endpoint: all who may call these endpoints are its admins.
"""

from __future__ import annotations

import uuid
from datetime import timedelta

from accounts.errors import IdempotencyKeyReused, RequestInProgress
from accounts.models import IdempotentRequest, Tenant
from accounts.models.tenancy import TenantQuerySet
from config.jobs.leases import Lease
from config.security.encryption import digest, is_keyed_hash, keyed_hash

KEPT = timedelta(hours=24)
HASH_PURPOSE = "idempotent_request"
# Longer than any step that does not renew it: a look at a connected account takes up to 40 seconds.
# A process that was slower writes nothing once another has taken over.
LEASE = Lease("holder_id", "lease_until", timedelta(seconds=60))


class Claim:
    """The right to do a request, until the lease ends and somebody else takes it."""

    def __init__(self, row: IdempotentRequest) -> None:
        self.row = row

    @property
    def resource_id(self) -> uuid.UUID | None:
        """The id of the row that an earlier attempt had made when its process died."""
        return self.row.resource_id

    @property
    def is_answered(self) -> bool:
        return self.row.status is not None

    def note_made(self, resource_id: uuid.UUID) -> None:
        """Notes the new row, in the transaction that makes it. Raises RequestInProgress when the
        claim is lost: of two that believe they are alone, only one commits."""
        if not LEASE.renew(self._held(), resource_id=resource_id):
            raise RequestInProgress

    def forget_made(self) -> None:
        """Forgets a row that has been deleted since: a repeated request starts over."""
        self._held().update(resource_id=None)

    def renew(self) -> None:
        LEASE.renew(self._held())

    def answer(self, status: int, answer: str) -> None:
        """Keeps the answer for repeats: best in the transaction that makes the row, so that there
        is never one without the other. Raises RequestInProgress when the claim is lost.
        """
        if not self._held().update(status=status, answer=answer, lease_until=None):
            raise RequestInProgress
        self.row.status, self.row.answer = status, answer

    def give_back(self) -> None:
        """Releases the key after a failure: for any request, or only for a repeat of this one if it
        already made something, which the repeat then finds."""
        self._held().filter(resource_id=None).delete()
        self._held().update(lease_until=None)

    def _held(self) -> TenantQuerySet[IdempotentRequest]:
        rows = IdempotentRequest.objects.for_tenant(self.row.tenant)
        return rows.filter(pk=self.row.pk, holder_id=self.row.holder_id, status=None)


def claim_request(tenant: Tenant, endpoint: str, key: str, request: str) -> Claim:
    """Returns a claim that either `is_answered`, or is for this process to do.

    Not within a transaction: others have to see it at once.

    Args:
        endpoint: method and path.
        request: all that the answer depends on, the same text for the same request.

    Raises IdempotencyKeyReused (the key came with another request), RequestInProgress.
    """
    rows = IdempotentRequest.objects.for_tenant(tenant).select_related("tenant")
    named = rows.filter(endpoint=endpoint, key_hash=digest(key))
    new = IdempotentRequest(
        tenant=tenant,
        endpoint=endpoint,
        key_hash=digest(key),
        fingerprint=keyed_hash(request, purpose=HASH_PURPOSE),
    )
    rows.bulk_create([new], ignore_conflicts=True)  # nobody holds it yet
    row = named.first()
    if row is None:  # the first request has failed just now, and freed the key
        raise RequestInProgress
    if not is_keyed_hash(row.fingerprint, request, purpose=HASH_PURPOSE):
        raise IdempotencyKeyReused
    if row.status is not None:
        return Claim(row)
    holder_id = LEASE.take(named.filter(pk=row.pk, status=None))
    if holder_id is None:
        raise RequestInProgress
    return Claim(named.get(holder_id=holder_id))
