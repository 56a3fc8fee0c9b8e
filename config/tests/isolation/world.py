"""Two tenants that have a row of everything, and somebody of every role who asks."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import timedelta

from django.apps import apps
from django.core.files.base import ContentFile
from django.utils import timezone

from accounts.models import (
    ActivityEntry,
    ApiToken,
    CompanyProfile,
    IdempotentRequest,
    OutgoingMail,
    ProgramAccess,
    Role,
    Tenant,
    UsageCounter,
    User,
    WorkspaceExport,
)
from accounts.models.tenancy import TenantModel
from accounts.signing_in.tokens import make_api_token
from accounts.tests.factories import (
    bearer,
    make_access,
    make_membership,
    make_program,
    make_program_code,
    make_staff_access,
    make_tenant,
    make_user,
)
from agents.models import Agent
from agents.tests.factories import make_agent
from channels.tests.factories import ORIGIN, make_connection
from config.security.encryption import digest
from query.tests.factories import (
    index_texts,
    make_conversation,
    make_count,
    make_group,
    make_lead,
    make_mail_recipient,
    make_mark,
    make_message,
    make_note,
    make_notification,
    make_read,
    make_setting,
)
from sources.models import Chunk, Lane, LaneTurn, Source, TermPostings, VectorSigns
from sources.originals.files import store_original
from sources.tests.factories import make_entry, make_event, make_schedule
from webhooks.tests.factories import make_chat, make_inbound_message, make_reply

NOBODY = "no token"
API_TOKEN = "API token"
CREDENTIALS = (NOBODY, *(role.value for role in Role), API_TOKEN)


@dataclass
class Side:
    """A tenant, what it has, and the Authorization headers of who belongs to it."""

    tenant: Tenant
    people: dict[str, User] = field(default_factory=dict)
    headers: dict[str, dict[str, str]] = field(default_factory=dict)
    colleague: User = field(init=False)
    source: Source = field(init=False)
    api_token: ApiToken = field(init=False)
    access: ProgramAccess = field(init=False)
    agent: Agent = field(init=False)

    def role_of(self, credential: str) -> Role:
        """Of who asks; the admin's for what is no person."""
        return Role(credential) if credential in Role.values else Role.ADMIN


@dataclass(eq=False)
class World:
    """We ask as `ours`; nothing of `theirs` may be seen or changed."""

    ours: Side
    theirs: Side

    def __post_init__(self) -> None:
        self.their_owners = {str(self.theirs.tenant.pk), *map(str, user_ids(self.theirs.tenant))}
        self.their_marks = self.their_owners | row_ids(self.theirs.tenant) | {"umbrella"}


def make_world() -> World:
    return World(ours=make_side("acme"), theirs=make_side("umbrella"))


def make_side(slug: str) -> Side:
    return fill_side(make_tenant(slug))


def fill_side(tenant: Tenant) -> Side:
    """All its texts hold its slug, so that any of them is known when it turns up elsewhere."""
    side, slug = Side(tenant), tenant.slug
    for role in Role:
        person = make_user(side.tenant, role=role, email=f"{role}@{slug}.example")
        side.people[role] = person
        side.headers[role] = bearer(person, side.tenant)
    side.headers[NOBODY] = {}
    add_colleague(side, slug)
    add_source(side, slug)
    add_api_token(side, slug)
    add_program(side, slug)
    add_accounts_rows(side, slug)
    add_activity(side, slug)
    add_agent(side, slug)
    return side


def add_colleague(side: Side, slug: str) -> None:
    """Whom others manage; and an admin more, so that no admin who asks is the last one."""
    side.colleague = make_user(email=f"colleague@{slug}.example")
    make_membership(side.tenant, side.colleague, role=Role.VIEWER)
    make_user(side.tenant, role=Role.ADMIN, email=f"second@{slug}.example")


def add_source(side: Side, slug: str) -> None:
    side.source = index_texts(side.tenant, f"The {slug} shop opens at nine.", name=f"{slug}.txt")
    content = ContentFile(f"The {slug} shop opens at nine.".encode())
    side.source.original_name = f"{slug}.txt"
    side.source.original_file.name = store_original(side.tenant, side.source.pk, content)
    side.source.save()
    chunk = Chunk.objects.for_tenant(side.tenant)[0]
    TermPostings.objects.for_tenant(side.tenant).create(
        source=side.source, term=1, first_chunk=chunk.pk, postings=[chunk.pk << 22]
    )
    VectorSigns.objects.for_tenant(side.tenant).create(
        source=side.source,
        space=1,
        language="en",
        first_chunk=chunk.pk,
        last_chunk=0,
        vectors_count=1,
        chunk_ids=[chunk.pk],
        signs="{10}",
        mean=[1.0, -1.0],
        sample="{}",
    )
    make_event(side.source, details={"provider": slug})
    make_schedule(side.source)
    LaneTurn.objects.for_tenant(side.tenant).create(lane=Lane.UPLOADS, taken_at=timezone.now())


def add_api_token(side: Side, slug: str) -> None:
    """Used last in an hour, as it were: a use meanwhile writes nothing."""
    maker = side.people[Role.ADMIN].memberships.get()
    side.api_token = ApiToken.objects.for_tenant(side.tenant).create(
        membership=maker,
        name=f"{slug} shop",
        expires_at=timezone.now() + timedelta(days=1),
        last_used_at=timezone.now() + timedelta(hours=1),
    )
    text = make_api_token(side.api_token)
    side.api_token.token_hash = digest(text)
    side.api_token.save()
    side.headers[API_TOKEN] = {"Authorization": f"Bearer {text}"}


def add_program(side: Side, slug: str) -> None:
    """An admin has let it in, and is about to again."""
    membership = side.people[Role.ADMIN].memberships.get()
    program = make_program(name=f"{slug} assistant")
    side.access = make_access(membership, program=program, last_used_at=timezone.now())
    make_program_code(membership, program=program)


def add_accounts_rows(side: Side, slug: str) -> None:
    CompanyProfile.objects.for_tenant(side.tenant).create(
        legal_name=f"{slug}, S.L.",
        tax_id="B12345674",
        address="Calle Mayor 1",
        city="Vigo",
        postal_code="36201",
        country="ES",
        billing_email=f"pay@{slug}.example",
    )
    UsageCounter.objects.for_tenant(side.tenant).create(
        metric=UsageCounter.Metric.QUERIES, period_start=timezone.now().date().replace(day=1)
    )
    OutgoingMail.objects.for_tenant(side.tenant).create(
        recipient=f"ana@{slug}.example",
        template="invitation",
        language="es",
        encrypted_context=b"sealed",
    )


def add_activity(side: Side, slug: str) -> None:
    """Their ids are found nowhere but with an admin."""
    ActivityEntry.objects.for_tenant(side.tenant).create(
        actor=f"ana@{slug}.example", action="sign_in", target_name=f"{slug} shop"
    )
    WorkspaceExport.objects.for_tenant(side.tenant).create(asked_by=f"ana@{slug}.example")
    IdempotentRequest.objects.for_tenant(side.tenant).create(
        endpoint="POST /agents", key_hash="0" * 64, fingerprint="0" * 64
    )
    make_staff_access(side.tenant, make_user(email=f"{slug}@staff.example", is_staff=True))


def add_agent(side: Side, slug: str) -> None:
    """With a scope, somebody's conversation, and a lead."""
    side.agent = make_agent(
        side.tenant,
        side.source,
        name=f"{slug} sales",
        persona=f"You sell what {slug} has.",
        store_transcripts=True,
        lead_capture_enabled=True,
        lead_notification_email=f"sales@{slug}.example",
        allowed_origins=[ORIGIN],
    )
    make_connection(side.agent, "web")
    for channel_type in ("messenger_a", "messenger_b"):
        chat = make_chat(make_connection(side.agent, channel_type))
        make_inbound_message(chat, f"When does {slug} open?")
        make_reply(chat, f"{slug} opens at nine.")
    asked = make_message(make_conversation(side.agent), question=f"When does {slug} open?")
    entry = make_entry(side.tenant, question=f"Does {slug} rent boats?")
    make_group(side.tenant, asked, entry=entry)
    make_count(side.agent)
    make_mark(side.agent, question=f"When does {slug} close?")
    lead = make_lead(side.agent, name=f"{slug} customer")
    make_note(lead, text=f"Likes {slug}")
    admin = side.people[Role.ADMIN].memberships.get()
    make_read(make_notification(lead), admin)
    make_setting(admin)
    make_mail_recipient(side.tenant)


# --- What is a tenant's ---------------------------------------------------------------------------


def tenant_models() -> list[type[TenantModel]]:
    return [model for model in apps.get_models() if issubclass(model, TenantModel)]


def row_ids(tenant: Tenant) -> set[str]:
    """Those that are found nowhere by accident: numbers are."""
    rows = (row for model in tenant_models() for row in model.all_tenants.filter(tenant=tenant))
    return {str(row.pk) for row in rows if isinstance(row.pk, uuid.UUID)}


def user_ids(tenant: Tenant) -> list[uuid.UUID]:
    return list(User.objects.filter(memberships__tenant=tenant).values_list("pk", flat=True))
