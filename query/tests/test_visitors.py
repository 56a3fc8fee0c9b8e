"""What a visitor left is found by their e-mail address or phone number, taken along and erased."""

import json
import zipfile
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.errors import SomethingIsLeft
from accounts.models import AskedBy, ErasureReceipt, IdempotentRequest, Tenant
from accounts.tests.factories import make_user
from agents.tests.factories import make_agent
from config.tests.isolation.world import tenant_models
from query.models import Conversation, Lead, Message
from query.services.visitors import (
    erase_visitor,
    find_visitor,
    read_contact,
    read_visitor,
)
from query.tests.factories import make_conversation, make_lead, make_mark, make_message

pytestmark = pytest.mark.django_db

EVA = "eva@example.org"
PHONE = "+34600111222"


def erase(tenant: Tenant, **options: Any) -> dict[str, Any]:
    out = StringIO()
    call_command("erase", tenant=tenant.slug, yes=True, stdout=out, **options)
    printed: dict[str, Any] = json.loads(out.getvalue())["receipt"]
    return printed


def leave_traces(tenant: Tenant) -> None:
    """Eva's: a lead, what she wrote in two sessions and without one, a mark, a remembered answer;
    and somebody else's."""
    agent = make_agent(tenant)
    make_lead(agent, session_id="lead", email=EVA)
    for session_id in ("lead", "later", ""):
        conversation = make_conversation(agent, session_id=session_id)
        make_message(conversation, question=f"Write to {EVA.upper()}.")
    other = make_conversation(agent, session_id="other")
    make_message(other, question=f"Write to {EVA}.example")
    make_mark(agent, question=f"What did {EVA} order?")
    IdempotentRequest.objects.for_tenant(tenant).create(
        endpoint="POST /x", key_hash="0" * 64, fingerprint="0" * 64, answer=json.dumps([EVA])
    )


def test_all_sessions_of_an_address_go_and_no_other(tenant: Tenant, other_tenant: Tenant) -> None:
    leave_traces(tenant)
    leave_traces(other_tenant)

    receipt = erase(tenant, person=EVA)

    assert receipt["found"] == 0
    assert receipt["erased"] == {
        "messages": 2,
        "conversations": 3,
        "leads": 1,
        "query.AnswerMark": 1,
        "accounts.IdempotentRequest": 1,
    }
    assert list(Conversation.objects.for_tenant(tenant).values_list("session_id")) == [("other",)]
    assert Message.objects.for_tenant(tenant).count() == 1
    assert Message.objects.for_tenant(other_tenant).count() == 4
    assert Lead.objects.for_tenant(other_tenant).count() == 1
    kept = [
        str(row.__dict__)
        for model in tenant_models()
        for row in model.all_tenants.filter(tenant=tenant)
    ]
    assert not [row for row in kept if EVA in row.lower() and f"{EVA}.example" not in row]


@pytest.mark.parametrize(
    "written",
    [
        "600111222",
        "600 111 222",
        "+34 600-11-12-22",
        "0034600111222",
        "(600) 111.222",
        "t:600111222.",
    ],
)
def test_a_number_is_found_however_it_is_written(tenant: Tenant, written: str) -> None:
    agent = make_agent(tenant)
    make_message(make_conversation(agent, session_id="s"), question=f"Call me: {written}")
    make_message(make_conversation(agent, session_id="t"), question="Order 1600111222, 6001112229")

    assert erase(tenant, person=PHONE)["erased"] == {"messages": 1, "conversations": 1}


def test_the_companys_own_people_stay(tenant: Tenant) -> None:
    """Who signs in with the address that they asked an agent with."""
    user = make_user(tenant, email=EVA)
    leave_traces(tenant)

    erase(tenant, person=EVA)

    user.refresh_from_db()
    assert user.is_active


@pytest.mark.parametrize(
    ("contact", "written"),
    [
        ("+34600", "I need 600 cajas"),
        ("+3412", "A table for 12 personas"),
        ("+4912", "12 Kisten"),
        ("+34600CAJASX", "Order 600225279"),  # letters of a telephone's keys
        ("+34600111222333", "600111222333"),
        ("@example.org", "Where is the shop of @example.org?"),
        ("eva@", "Who is eva@?"),
    ],
)
def test_a_part_of_a_contact_finds_nobody(tenant: Tenant, contact: str, written: str) -> None:
    message = make_message(make_conversation(make_agent(tenant)), question=written)

    with pytest.raises(CommandError, match="e-mail address, or a phone number"):
        erase(tenant, person=contact)

    message.refresh_from_db()


@pytest.mark.parametrize("written", ["+683 4002", "00683-4002"])
def test_a_short_number_is_found_with_its_country_alone(tenant: Tenant, written: str) -> None:
    """Where all numbers have four digits, four digits are mostly no number."""
    agent = make_agent(tenant)
    make_message(make_conversation(agent, session_id="s"), question=f"Call {written}")
    make_message(make_conversation(agent, session_id="t"), question="4002 cajas, 683 4002")

    assert erase(tenant, person="+6834002")["erased"] == {"messages": 1, "conversations": 1}


@pytest.mark.parametrize("contact", ["eva", "600111222", "", "+", "*"])
def test_what_is_neither_address_nor_number_is_refused(tenant: Tenant, contact: str) -> None:
    with pytest.raises(ValueError, match="e-mail address, or a phone number"):
        read_contact(contact)
    assert not ErasureReceipt.objects.filter(workspace_id=tenant.pk).exists()


# --- What is said before --------------------------------------------------------------------------


def test_how_much_is_found_and_of_when_is_told_before_anything_goes(tenant: Tenant) -> None:
    leave_traces(tenant)
    days = [datetime(2026, 11, day, tzinfo=UTC) for day in (2, 5)]
    conversations = Conversation.objects.for_tenant(tenant)
    conversations.filter(session_id="later").update(created_at=days[0])
    conversations.exclude(session_id="later").update(created_at=days[1])

    found = find_visitor(tenant, f" {EVA.upper()} ")

    assert found.contact == EVA
    spans = [found.conversations, found.leads]
    assert [span.count for span in spans] == [3, 1]
    assert [found.conversations.first, found.conversations.last] == days
    assert found.others == 2  # a mark, and a remembered answer
    assert conversations.count() == 4


def test_the_command_says_what_will_go_and_asks(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_traces(tenant)
    today = timezone.now().date()
    said = StringIO()
    with pytest.raises(CommandError, match="--yes"):
        call_command("erase", tenant=tenant.slug, person=EVA, stdout=said)

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda prompt: "no")
    with pytest.raises(CommandError, match="Nothing was erased"):
        call_command("erase", tenant=tenant.slug, person=EVA, stdout=said)

    assert said.getvalue() == (
        f"3 conversation(s) from {today} to {today}, 1 lead(s) from {today} to {today} and 2 other"
        " row(s) will be deleted for good.\n"
    )
    assert Conversation.objects.for_tenant(tenant).count() == 4


@pytest.mark.parametrize("written", ["in a session", "by itself", "as a mark"])
def test_what_comes_after_it_was_shown_is_not_agreed_to(tenant: Tenant, written: str) -> None:
    leave_traces(tenant)
    shown = find_visitor(tenant, EVA)
    assert find_visitor(tenant, EVA).fingerprint == shown.fingerprint

    agent = make_agent(tenant)
    if written == "as a mark":
        make_mark(agent, question=EVA)
    else:
        session_id = "new" if written == "in a session" else ""
        make_message(make_conversation(agent, session_id=session_id), question=EVA)

    assert find_visitor(tenant, EVA).fingerprint != shown.fingerprint
    with pytest.raises(SomethingIsLeft):
        erase_visitor(tenant, shown, asked_by=AskedBy.ADMIN)
    erase(tenant, person=EVA)
    assert find_visitor(tenant, EVA).is_nothing


def test_no_word_of_a_contact_is_a_pattern(tenant: Tenant) -> None:
    make_message(make_conversation(make_agent(tenant)), question="exx@example.org evaXexample.org")

    assert erase(tenant, person="e.*@example.org")["erased"] == {}
    assert Message.objects.for_tenant(tenant).count() == 1


def test_a_visitor_gets_what_they_wrote_and_nothing_of_others(
    tenant: Tenant, tmp_path: Path
) -> None:
    leave_traces(tenant)
    out = tmp_path / "eva.zip"

    call_command("export", tenant=tenant.slug, person=EVA, out=out, stdout=StringIO())

    with zipfile.ZipFile(out) as archive:
        content = {name: archive.read(name).decode() for name in archive.namelist()}
    assert len(content["messages.jsonl"].splitlines()) == 3
    assert len(content["conversations.jsonl"].splitlines()) == 3
    assert json.loads(content["leads.jsonl"])["email"] == EVA
    assert f"{EVA}.example" not in "".join(content.values())
    assert out.stat().st_mode & 0o777 == 0o600


def test_a_session_is_taken_along(tenant: Tenant, other_tenant: Tenant, tmp_path: Path) -> None:
    leave_traces(tenant)
    leave_traces(other_tenant)
    out = tmp_path / "session.zip"

    call_command("export", tenant=tenant.slug, session="other", out=out, stdout=StringIO())

    with zipfile.ZipFile(out) as archive:
        (line,) = archive.read("messages.jsonl").splitlines()
    assert json.loads(line)["question"] == f"Write to {EVA}.example"
    nobody = find_visitor(tenant, "nobody@example.org")
    assert nobody.is_nothing
    assert read_visitor(tenant, nobody)["messages"] == []


def test_an_account_is_exported_and_erased_by_its_address(tenant: Tenant, tmp_path: Path) -> None:
    make_user(tenant)
    make_user(tenant, email=EVA)
    out = tmp_path / "account.zip"
    call_command("export", account=EVA, out=out, stdout=StringIO())
    printed = StringIO()

    call_command("erase", account=EVA, yes=True, stdout=printed)

    with zipfile.ZipFile(out) as archive:
        assert json.loads(archive.read("account.jsonl"))["email"] == EVA
    assert json.loads(printed.getvalue())["receipt"]["kind"] == "person"
    with pytest.raises(CommandError, match="Nobody signs in as"):
        call_command("erase", account=EVA, yes=True)
