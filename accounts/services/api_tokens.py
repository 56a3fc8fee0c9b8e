"""API tokens: what machines call with, made and ended by admins."""

import uuid
from dataclasses import dataclass
from datetime import timedelta

from django.db import models, transaction
from django.utils import timezone

from accounts.activity import record
from accounts.models import Action, ApiToken, Membership, Tenant
from accounts.services.members import lock_roles
from accounts.signing_in.tokens import make_api_token
from config.errors import Conflict, NotFound
from config.security.encryption import digest

MAX_TOKENS = 100  # of a tenant, expired ones included: a tenant that needs more has forgotten some


@dataclass(frozen=True)
class NewApiToken:
    """A new API token. `token` is shown once: only its hash is kept."""

    row: ApiToken
    token: str


def list_api_tokens(tenant: Tenant) -> models.QuerySet[ApiToken]:
    """Newest first: expired ones too, so that nobody wonders why a machine is shut out."""
    tokens = ApiToken.objects.for_tenant(tenant).filter(revoked_at=None)
    return tokens.select_related("membership__user").order_by("-created_at", "-id")


@transaction.atomic
def create_api_token(
    tenant: Tenant, membership: Membership, *, name: str, expires_in_days: int
) -> NewApiToken:
    """Makes a token that acts as `api_user` for as long as `membership` lasts, of an admin.

    Raises Conflict when there are MAX_TOKENS, Forbidden (`membership` has ceased to be an admin's).
    """
    lock_roles(tenant, membership)
    tokens = ApiToken.objects.for_tenant(tenant)
    if tokens.filter(revoked_at=None).count() >= MAX_TOKENS:
        raise Conflict(f"A workspace can have at most {MAX_TOKENS} API tokens: delete one first.")
    # Whole seconds, as the JWT counts them.
    expires_at = timezone.now().replace(microsecond=0) + timedelta(days=expires_in_days)
    row = ApiToken(tenant=tenant, membership=membership, name=name, expires_at=expires_at)
    token = make_api_token(row)
    row.token_hash = digest(token)
    row.save(force_insert=True)
    record(tenant, Action.API_TOKEN_CREATED, row, days=expires_in_days)
    return NewApiToken(row, token)


@transaction.atomic
def revoke_api_token(tenant: Tenant, token_id: uuid.UUID | None) -> None:
    """Revokes the token: the next request that brings it is refused. Raises NotFound, for a revoked
    one too."""
    tokens = ApiToken.objects.for_tenant(tenant).filter(revoked_at=None)
    found = tokens.filter(id=token_id).first() if token_id else None
    if found is None or not tokens.filter(pk=found.pk).update(revoked_at=timezone.now()):
        raise NotFound
    record(tenant, Action.API_TOKEN_REVOKED, found)
