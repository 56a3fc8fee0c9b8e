"""How to make a row of every model of the project, for the tests that walk over all models.

A new model brings its line here. Each call makes a row in a new tenant.
"""

import uuid
from collections.abc import Callable

import numpy as np
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import Group
from django.db.models import Model
from django.utils import timezone
from pgvector import SparseVector

from accounts.leaving.receipts import open_receipt
from accounts.models import (
    ActivityEntry,
    ApiToken,
    AskedBy,
    CodeAlarm,
    CompanyProfile,
    ErasureKind,
    ErasureReceipt,
    IdempotentRequest,
    Membership,
    OneTimeCode,
    OutgoingMail,
    PersonExport,
    Plan,
    Program,
    ProgramAccess,
    ProgramCode,
    Purpose,
    RecoveryCode,
    Session,
    Signup,
    StaffAccess,
    StaffSession,
    Tenant,
    TwoFactor,
    UsageCounter,
    User,
    WorkspaceExport,
)
from accounts.tests.factories import (
    make_access,
    make_program,
    make_program_code,
    make_session,
    make_staff_access,
    make_tenant,
    make_user,
)
from agents.models import Agent, AgentSource
from agents.tests.factories import make_agent
from channels.models import ChannelConnection
from channels.tests.factories import make_connection
from language import TERM_DIMENSIONS
from query.models import (
    AnswerMark,
    Conversation,
    Lead,
    LeadNote,
    MailRecipient,
    Message,
    Notification,
    NotificationRead,
    NotificationSetting,
    OutcomeCount,
    QuestionGroup,
)
from query.tests.factories import (
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
from sources.embedding.close_reading import CloseReading
from sources.models import (
    Chunk,
    ChunkEmbedding,
    ChunkReading,
    ChunkTerms,
    Connection,
    Document,
    Entry,
    Lane,
    LaneTurn,
    Schedule,
    Source,
    SourceTerm,
    SyncEvent,
    SyncStatus,
    TermPostings,
    VectorSigns,
)
from sources.tests.factories import make_entry
from webhooks.models import Chat, InboundMessage, Reply
from webhooks.tests.factories import make_chat, make_inbound_message, make_reply


def make_member() -> Membership:
    return make_user(make_tenant()).memberships.get()


def make_login() -> Session:
    member = make_member()
    return make_session(member.user, member.tenant)


def make_api_token() -> ApiToken:
    member = make_member()
    return ApiToken.objects.for_tenant(member.tenant).create(
        membership=member, name="Shop", token_hash="0" * 64, expires_at=timezone.now()
    )


def make_company_profile() -> CompanyProfile:
    return CompanyProfile.objects.for_tenant(make_tenant()).create(
        legal_name="Acme, S.L.", tax_id="B12345674", country="ES", billing_email="pay@example.com"
    )


def make_usage_counter() -> UsageCounter:
    return UsageCounter.objects.for_tenant(make_tenant()).create(
        metric=UsageCounter.Metric.QUERIES, period_start=timezone.now().date()
    )


def make_outgoing_mail() -> OutgoingMail:
    return OutgoingMail.objects.for_tenant(make_tenant()).create(
        recipient="ana@example.com",
        template="invitation",
        language="es",
        encrypted_context=b"sealed",
    )


def make_activity_entry() -> ActivityEntry:
    return ActivityEntry.objects.for_tenant(make_tenant()).create(
        actor="ana@example.com", action="sign_in"
    )


def make_workspace_export() -> WorkspaceExport:
    return WorkspaceExport.objects.for_tenant(make_tenant()).create(asked_by="ana@example.com")


def make_person_export() -> PersonExport:
    return PersonExport.objects.create(user=make_member().user)


def make_receipt() -> ErasureReceipt:
    return open_receipt(ErasureKind.PERSON, uuid.uuid4().hex, asked_by=AskedBy.OPERATOR)


def make_idempotent_request() -> IdempotentRequest:
    return IdempotentRequest.objects.for_tenant(make_tenant()).create(
        endpoint="POST /agents", key_hash="0" * 64, fingerprint="0" * 64
    )


def make_signup() -> Signup:
    slug = f"signup-{uuid.uuid4().hex}"
    return Signup.objects.create(email="ana@example.com", slug=slug, expires_at=timezone.now())


def make_one_time_code() -> OneTimeCode:
    now = timezone.now()
    return OneTimeCode.objects.create(
        email=f"{uuid.uuid4().hex}@example.com",
        purpose=Purpose.LOGIN,
        code_hash="0" * 64,
        created_at=now,
        expires_at=now,
        tries_left=5,
    )


def make_staff_session() -> StaffSession:
    return StaffSession.objects.create(user=make_user(is_staff=True))


def make_log_entry() -> LogEntry:
    changed = make_tenant()
    user = make_user(is_staff=True)
    LogEntry.objects.log_actions(user.pk, [changed], CHANGE, change_message="Changed name.")
    return LogEntry.objects.get(user=user)


def make_two_factor() -> TwoFactor:
    return TwoFactor.objects.create(user=make_member().user, encrypted_secret=b"sealed")


def make_recovery_code() -> RecoveryCode:
    return RecoveryCode.objects.create(two_factor=make_two_factor(), code_hash="0" * 64)


def make_source() -> Source:
    return Source.objects.for_tenant(make_tenant()).create(
        name="Prices", source_type="file", sync_status=SyncStatus.SYNCED
    )


def make_account() -> Connection:
    connection = make_kept_connection().connection
    assert connection is not None
    return connection


def make_connected_source() -> Source:
    account = make_account()
    return Source.objects.for_tenant(account.tenant).create(
        name="Drive", source_type="cloud_drive_a", connection=account
    )


def make_lane_turn() -> LaneTurn:
    turns = LaneTurn.objects.for_tenant(make_tenant())
    return turns.create(lane=Lane.UPLOADS, taken_at=timezone.now())


def make_document() -> Document:
    source = make_source()
    return Document.objects.for_tenant(source.tenant).create(
        source=source,
        title="Prices",
        external_id="prices.txt",
        content_type="text/plain",
        content_hash="0" * 64,
        synced_at=timezone.now(),
    )


def make_chunk() -> Chunk:
    document = make_document()
    return Chunk.objects.for_tenant(document.tenant).create(
        source=document.source, document=document, position=0, text="Tea: 3 euros", language="en"
    )


def make_embedding() -> ChunkEmbedding:
    chunk = make_chunk()
    return ChunkEmbedding.objects.for_tenant(chunk.tenant).create(
        source=chunk.source,
        space=1,
        chunk_id=chunk.id,
        window=0,
        language="en",
        embedding=[1.0, 0.0],
    )


def make_reading() -> ChunkReading:
    chunk = make_chunk()
    reading = CloseReading(spans=((0, 5),), counts=(0, 1), bits=np.array([[129]], np.uint8))
    return ChunkReading.objects.for_tenant(chunk.tenant).create(
        source=chunk.source, space=1, chunk_id=chunk.id, content=reading.encode()
    )


def make_terms() -> ChunkTerms:
    chunk = make_chunk()
    return ChunkTerms.objects.for_tenant(chunk.tenant).create(
        source=chunk.source, chunk_id=chunk.id, weights=SparseVector({1: 1.0}, TERM_DIMENSIONS)
    )


def make_postings() -> TermPostings:
    chunk = make_chunk()
    return TermPostings.objects.for_tenant(chunk.tenant).create(
        source=chunk.source, term=1, first_chunk=chunk.id, postings=[chunk.id << 22]
    )


def make_signs() -> VectorSigns:
    chunk = make_chunk()
    return VectorSigns.objects.for_tenant(chunk.tenant).create(
        source=chunk.source,
        space=1,
        language="es",
        first_chunk=chunk.id,
        last_chunk=chunk.id,
        vectors_count=1,
        chunk_ids=[chunk.id],
        signs="{10}",
        mean=[1.0, -1.0],
        sample='{"[1,-1]"}',
    )


def make_source_term() -> SourceTerm:
    source = make_source()
    return SourceTerm.objects.for_tenant(source.tenant).create(
        source=source, term=1, chunks_count=1
    )


def make_event() -> SyncEvent:
    source = make_source()
    return SyncEvent.objects.for_tenant(source.tenant).create(
        source=source, action=SyncEvent.Action.SYNC_STARTED
    )


def make_schedule() -> Schedule:
    source = make_source()
    return Schedule.objects.for_tenant(source.tenant).create(source=source, frequency="manual")


def make_scope() -> AgentSource:
    source = make_source()
    make_agent(source.tenant, source)
    return AgentSource.objects.for_tenant(source.tenant).get()


def make_kept_conversation() -> Conversation:
    return make_conversation(make_agent(make_tenant()))


def make_code_alarm() -> CodeAlarm:
    return CodeAlarm.objects.create(hour=timezone.now(), last_at=timezone.now())


def make_kept_lead() -> Lead:
    return make_lead(make_agent(make_tenant()))


def make_kept_connection() -> ChannelConnection:
    return make_connection(make_agent(make_tenant()))


def make_kept_chat() -> Chat:
    return make_chat(make_kept_connection())


def make_answered_group() -> QuestionGroup:
    entry = make_entry(make_tenant())
    return make_group(entry.tenant, entry=entry)


def make_kept_read() -> NotificationRead:
    member = make_member()
    lead = make_lead(make_agent(member.tenant))
    return make_read(make_notification(lead), member)


MAKERS: dict[type[Model], Callable[[], Model]] = {
    Group: lambda: Group.objects.create(name=uuid.uuid4().hex),
    Plan: lambda: make_tenant().plan,
    Tenant: make_tenant,
    User: lambda: make_member().user,
    Membership: make_member,
    Session: make_login,
    ApiToken: make_api_token,
    Program: make_program,
    ProgramAccess: lambda: make_access(make_member()),
    ProgramCode: lambda: make_program_code(make_member()),
    CompanyProfile: make_company_profile,
    UsageCounter: make_usage_counter,
    OutgoingMail: make_outgoing_mail,
    ActivityEntry: make_activity_entry,
    WorkspaceExport: make_workspace_export,
    PersonExport: make_person_export,
    ErasureReceipt: make_receipt,
    IdempotentRequest: make_idempotent_request,
    Signup: make_signup,
    StaffSession: make_staff_session,
    StaffAccess: lambda: make_staff_access(make_tenant(), make_user(is_staff=True)),
    LogEntry: make_log_entry,
    OneTimeCode: make_one_time_code,
    TwoFactor: make_two_factor,
    RecoveryCode: make_recovery_code,
    Connection: make_account,
    Source: make_connected_source,
    LaneTurn: make_lane_turn,
    Document: make_document,
    Chunk: make_chunk,
    ChunkEmbedding: make_embedding,
    ChunkReading: make_reading,
    ChunkTerms: make_terms,
    SourceTerm: make_source_term,
    TermPostings: make_postings,
    VectorSigns: make_signs,
    SyncEvent: make_event,
    Schedule: make_schedule,
    Entry: lambda: make_entry(make_tenant()),
    Agent: lambda: make_agent(make_tenant()),
    AgentSource: make_scope,
    AnswerMark: lambda: make_mark(make_agent(make_tenant())),
    Conversation: make_kept_conversation,
    QuestionGroup: make_answered_group,
    Message: lambda: make_message(make_kept_conversation()),
    OutcomeCount: lambda: make_count(make_agent(make_tenant())),
    Lead: make_kept_lead,
    LeadNote: lambda: make_note(make_kept_lead()),
    Notification: lambda: make_notification(make_kept_lead()),
    NotificationRead: make_kept_read,
    MailRecipient: lambda: make_mail_recipient(make_tenant()),
    CodeAlarm: make_code_alarm,
    NotificationSetting: lambda: make_setting(make_member()),
    ChannelConnection: make_kept_connection,
    Chat: make_kept_chat,
    InboundMessage: lambda: make_inbound_message(make_kept_chat()),
    Reply: lambda: make_reply(make_kept_chat()),
}
