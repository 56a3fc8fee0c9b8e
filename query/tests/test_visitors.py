"""What a visitor left is found by their e-mail address or phone number, taken along and erased."""

import json
import zipfile
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.models import ErasureReceipt, IdempotentRequest, Tenant
from accounts.tests.factories import make_user
from agents.tests.factories import make_agent
from config.tests.isolation.world import tenant_models
from query.conversations.visitors import pattern_of, read_visitor
from query.models import Conversation, Lead, Message
from query.tests.factories import make_conversation, make_lead, make_mark, make_message

pytestmark = pytest.mark.django_db

EVA = "eva@example.org"
PHONE = "+34600111222"


def erase(tenant: Tenant, **options: Any) -> dict[str, Any]:
    out = StringIO()
    call_command("erase", tenant=tenant.slug, stdout=out, **options)
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


@pytest.mark.parametrize("contact", ["eva", "600111222", "", "+", "*"])
def test_what_is_neither_address_nor_number_is_refused(tenant: Tenant, contact: str) -> None:
    with pytest.raises(ValueError, match="e-mail address, or a phone number"):
        pattern_of(contact)
    assert not ErasureReceipt.objects.filter(workspace_id=tenant.pk).exists()


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
    assert len(content["messages.jsonl"].splitlines()) == 2
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
    assert read_visitor(tenant, "nobody@example.org")["messages"] == []


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
