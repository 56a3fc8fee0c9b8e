"""bin/manage erase: what was asked to be erased is gone, and nothing else."""

import hashlib
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.leaving.receipts import let_receipt_go, take_receipt
from accounts.mail.deliveries import finish_mail, write_mail
from accounts.models import (
    AskedBy,
    Membership,
    OneTimeCode,
    OutgoingMail,
    Purpose,
    Role,
    Tenant,
    User,
)
from accounts.services.leaving.erasure import begin_erasure
from accounts.tests.factories import make_membership, make_tenant, make_user
from agents.tests.factories import make_agent
from config.jobs import redis_client
from config.security.rate_limits import Limit, take
from config.tests.isolation.world import World, make_world, tenant_models
from query.answers import Answer
from query.conversations import erasure, memory
from query.conversations.memory import recall, remember
from query.models import Conversation, Lead, Message, Notification, Outcome
from query.tests.factories import make_conversation, make_lead, make_message, make_notification
from query.understanding.inquiries import Inquiry
from sources.indexing.index import embed_documents
from sources.models import Source
from sources.services.editing import delete_source
from sources.services.uploads import ingest_file
from sources.syncing import batches, runs, sync
from sources.tests.conftest import files_below, stored_files  # noqa: F401 - a fixture

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("stored_files")]

# Of messengers: webhooks/tests/test_erasing.py
NO_CHATS = {"chat_messages": 0, "replies": 0, "chats": 0}


def erase(tenant: Tenant, **options: Any) -> dict[str, Any]:
    out = StringIO()
    call_command("erase", tenant=tenant.slug, stdout=out, **options)
    (line,) = out.getvalue().splitlines()
    printed: dict[str, Any] = json.loads(line)
    assert printed.pop("receipt")["found"] == 0
    return printed


def rows_of(tenant: Tenant) -> dict[str, str]:
    """By model: a hash over all its rows of the tenant; those without rows are left out."""
    found = {model.__name__: values_of(model, tenant) for model in tenant_models()}
    return {name: digest for name, digest in found.items() if digest}


def values_of(model: Any, tenant: Tenant) -> str:
    rows = sorted(map(repr, model.all_tenants.filter(tenant=tenant).values()))
    return hashlib.sha256("".join(rows).encode()).hexdigest() if rows else ""


# --- A session ------------------------------------------------------------------------------------


def leave_traces(tenant: Tenant, session_id: str) -> None:
    """With two agents on two channels, a lead that was told of, and a mail that waits."""
    for channel in ("api", "messenger_a"):
        agent = make_agent(tenant)
        conversation = make_conversation(agent, channel=channel, session_id=session_id)
        make_message(conversation)
        make_message(conversation)
        inquiry = Inquiry(tenant, "How much?", agent, channel, session_id)
        remember(inquiry, Answer("7", (), "x", Outcome.ANSWERED), completed="How much?")
    lead = make_lead(agent, session_id=session_id, email="visitor@example.org")
    make_notification(lead)
    write_lead_mail(lead)


def write_lead_mail(lead: Lead) -> OutgoingMail:
    names = ("tenant_name", "agent_name", "channel", "name", "email", "phone", "intent_text")
    context = dict.fromkeys((*names, "notified_at", "link"), "-") | {"lead_id": str(lead.pk)}
    return write_mail(lead.tenant, recipient="sales@example.com", template="lead", context=context)


def traces_of(tenant: Tenant, session_id: str) -> list[int]:
    redis_keys = f"{tenant.pk}:turns:*:{memory.hash_of(session_id)}"
    conversations = Conversation.objects.for_tenant(tenant).filter(session_id=session_id)
    leads = Lead.objects.for_tenant(tenant).filter(session_id=session_id)
    return [
        conversations.count(),
        Message.objects.for_tenant(tenant).filter(conversation__in=conversations).count(),
        leads.count(),
        Notification.objects.for_tenant(tenant).filter(lead__in=leads).count(),
        len(list(redis_client.client().scan_iter(redis_keys, count=1000))),
    ]


def test_a_session_is_erased_everywhere_and_no_other(tenant: Tenant, other_tenant: Tenant) -> None:
    leave_traces(tenant, "s")
    leave_traces(tenant, "t")
    leave_traces(other_tenant, "s")

    assert erase(tenant, session="s") == {
        "tenant": "acme",
        "messages": 4,
        "conversations": 2,
        "notifications": 1,
        "mails": 1,
        "lead_notes": 0,
        "leads": 1,
        "question_groups": 0,
        **NO_CHATS,
        "remembered": 2,
    }
    assert traces_of(tenant, "s") == [0, 0, 0, 0, 0]
    assert traces_of(tenant, "t") == traces_of(other_tenant, "s") == [2, 4, 1, 1, 2]
    assert OutgoingMail.objects.for_tenant(tenant).count() == 1
    assert OutgoingMail.objects.for_tenant(other_tenant).count() == 1


def test_erasing_a_session_again_or_an_unknown_one_counts_nothing(tenant: Tenant) -> None:
    leave_traces(tenant, "s")
    erase(tenant, session="s")

    nothing = dict.fromkeys(
        (
            "messages",
            "conversations",
            "notifications",
            "mails",
            "lead_notes",
            "leads",
            "question_groups",
            "remembered",
        ),
        0,
    )
    assert erase(tenant, session="s") == {"tenant": "acme"} | nothing | NO_CHATS
    assert erase(tenant, session="*") == {"tenant": "acme"} | nothing | NO_CHATS


def test_a_mail_that_was_sent_stays_as_a_row_without_content(tenant: Tenant) -> None:
    lead = make_lead(make_agent(tenant), session_id="s")
    mail = write_lead_mail(lead)
    finish_mail(mail, sent_at=timezone.now())

    assert erase(tenant, session="s")["mails"] == 0
    assert bytes(OutgoingMail.objects.for_tenant(tenant).get().encrypted_context) == b""


def test_an_empty_session_id_is_refused(tenant: Tenant) -> None:
    message = make_message(make_conversation(make_agent(tenant), session_id=""))

    with pytest.raises(CommandError, match="belong to nobody in particular"):
        erase(tenant, session="")
    assert Message.objects.for_tenant(tenant).get() == message


def test_an_unknown_tenant_is_told() -> None:
    with pytest.raises(CommandError, match="There is no tenant with the slug 'nobody'"):
        call_command("erase", tenant="nobody", session="s")


# --- A tenant -------------------------------------------------------------------------------------


@pytest.fixture
def world() -> World:
    world = make_world()
    for side in (world.ours, world.theirs):
        inquiry = Inquiry(side.tenant, "How much?", session_id="s")
        remember(inquiry, Answer("7", (), "x", Outcome.ANSWERED), completed="How much?")
        take(Limit("requests", 5, 60), str(side.tenant.pk))
        deleted = make_source_with_file(side.tenant)
        delete_source(side.tenant, deleted.pk)
    return world


def make_source_with_file(tenant: Tenant) -> Source:
    return ingest_file(tenant, file=ContentFile(b"We open at nine."), filename="a.txt")


def redis_keys_of(tenant: Tenant) -> int:
    return len(list(redis_client.client().scan_iter(f"*{tenant.pk}*", count=1000)))


def test_everything_of_a_tenant_goes_and_nothing_of_another(
    world: World,
    stored_files: Path,  # noqa: F811 - the fixture
) -> None:
    ours, theirs = world.ours.tenant, world.theirs.tenant
    there = rows_of(theirs)
    assert len(there) == len(tenant_models())  # a row of everything
    files = [name for name in files_below(stored_files) if name.startswith(str(theirs.pk))]
    people = User.objects.filter(memberships__tenant=theirs).count()

    printed = erase(ours, everything=True, yes=True)

    assert printed == {
        "tenant": "acme",
        "users": 6,
        "running_syncs": 0,
        "conversations": 1,
        "leads": 1,
        "files": 2,
        "sources": 2,
        "redis_keys": 2,
        "tenants": 1,
        "late_files": 0,
    }
    assert rows_of(ours) == {}
    assert not Tenant.objects.filter(slug="acme").exists()
    assert not User.objects.filter(email__endswith="acme.example").exists()
    assert redis_keys_of(ours) == 0
    assert rows_of(theirs) == there
    assert files_below(stored_files) == files
    assert User.objects.filter(memberships__tenant=theirs).count() == people
    assert redis_keys_of(theirs) == 2
    assert len(recall(Inquiry(theirs, "?", session_id="s"))) == 1


@pytest.mark.parametrize("number", range(len(erasure.STEPS)))
def test_what_was_killed_is_finished_by_running_it_again(
    world: World,
    number: int,
    monkeypatch: pytest.MonkeyPatch,
    stored_files: Path,  # noqa: F811 - the fixture
) -> None:
    ours, theirs = world.ours.tenant, world.theirs.tenant
    there = rows_of(theirs)

    def killed(tenant: Tenant) -> int:
        raise KeyboardInterrupt

    steps = list(erasure.STEPS)
    steps[number] = erasure.Step("killed", killed)
    with monkeypatch.context() as patch:
        patch.setattr(erasure, "STEPS", tuple(steps))
        with pytest.raises(KeyboardInterrupt):
            erase(ours, everything=True, yes=True)
    erase(ours, everything=True, yes=True)

    assert rows_of(ours) == {}
    assert not Tenant.objects.filter(slug="acme").exists()
    assert redis_keys_of(ours) == 0
    assert not any(name.startswith(str(ours.pk)) for name in files_below(stored_files))
    assert rows_of(theirs) == there


def test_who_belongs_to_another_tenant_too_keeps_their_account(
    tenant: Tenant, other_tenant: Tenant
) -> None:
    both = make_user(tenant, email="both@example.com")
    make_membership(other_tenant, both, role=Role.VIEWER)
    staff = make_user(tenant, email="staff@example.com", is_staff=True)
    alone = make_user(tenant, email="alone@example.com")
    for user in (both, alone):
        OneTimeCode.objects.create(
            email=user.email,
            purpose=Purpose.LOGIN,
            code_hash="0" * 64,
            created_at=timezone.now(),
            expires_at=timezone.now(),
            tries_left=5,
        )

    assert erase(tenant, everything=True, yes=True)["users"] == 1
    assert set(User.objects.all()) == {both, staff}
    assert Membership.all_tenants.get().tenant == other_tenant
    assert OneTimeCode.objects.get().email == "both@example.com"


def test_a_sync_that_runs_meanwhile_writes_nothing(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = make_source_with_file(tenant)
    run_id = runs.begin_run(tenant, source.pk)
    assert run_id is not None

    def embed_while_it_is_stopped(*args: Any, **options: Any) -> Any:
        erasure.stop_syncs(tenant)
        return embed_documents(*args, **options)

    monkeypatch.setattr(batches, "embed_documents", embed_while_it_is_stopped)
    indexed = rows_of(tenant)["Chunk"]
    sync.sync_source(tenant, source.pk, run_id=run_id)

    source.refresh_from_db()
    assert (source.sync_run_id, source.sync_status) == (None, "syncing")
    assert rows_of(tenant)["Chunk"] == indexed
    assert erase(tenant, everything=True, yes=True)["sources"] == 1


def test_without_a_terminal_it_needs_yes(tenant: Tenant) -> None:
    with pytest.raises(CommandError, match="needs a terminal to ask, or --yes"):
        erase(tenant, everything=True)
    assert Tenant.objects.filter(pk=tenant.pk).exists()


@pytest.mark.parametrize(("typed", "is_erased"), [("acme", True), ("yes", False), ("", False)])
def test_at_a_terminal_the_slug_is_typed(
    tenant: Tenant, typed: str, is_erased: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("builtins.input", lambda prompt: typed)

    try:
        call_command("erase", tenant="acme", everything=True, stdout=StringIO())
    except CommandError as error:
        assert str(error) == "Nothing was erased."  # noqa: PT017 - or nothing is raised
    assert Tenant.objects.filter(pk=tenant.pk).exists() is not is_erased


def test_a_session_or_everything_has_to_be_named() -> None:
    with pytest.raises(
        CommandError, match="one of the arguments --session --person --everything --account"
    ):
        call_command("erase", "--tenant", make_tenant().slug)


# --- Somebody who signs in ------------------------------------------------------------------------


def test_an_account_that_a_worker_erases_just_now_is_left_to_it(tenant: Tenant) -> None:
    make_user(tenant)
    leaving = make_user(tenant, email="leaving@example.com")
    receipt = begin_erasure(leaving, AskedBy.THEMSELF)
    assert take_receipt(receipt)

    with pytest.raises(CommandError, match="try again in ten minutes"):
        call_command("erase", account=leaving.email, yes=True, stdout=StringIO())
    assert User.objects.filter(pk=leaving.pk).exists()

    let_receipt_go(receipt)
    call_command("erase", account=leaving.email, yes=True, stdout=StringIO())
    assert not User.objects.filter(pk=leaving.pk).exists()
