"""The workspace's tabs: people, tokens, company, plan, settings, export and end."""

import html
import io
import re
import zipfile
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries, DjangoCaptureOnCommitCallbacks

from accounts.leaving.exporting import make_export
from accounts.models import (
    ApiToken,
    CompanyProfile,
    ErasureReceipt,
    ExportState,
    Membership,
    OutgoingMail,
    Role,
    Tenant,
    UsageCounter,
    User,
    WorkspaceExport,
)
from accounts.plans.usage import this_month
from accounts.services.leaving.exports import begin_export
from accounts.tests.factories import (
    PASSWORD,
    make_invitation,
    make_stranger,
    make_tenant,
    make_user,
)
from agents.tests.factories import make_agent
from dashboard.tests.factories import pages_of
from dashboard.tests.rows_workspace import COMPANY
from query.models import Conversation, Lead
from query.tests.factories import make_conversation, make_lead, make_message
from sources.tests.factories import make_source

HOME = "/dashboard/workspace"
PEOPLE = f"{HOME}/people"


@pytest.fixture
def ana(tenant: Tenant) -> User:
    return make_user(tenant, email="ana@acme.es")


@pytest.fixture
def pages(tenant: Tenant, ana: User) -> Client:
    return pages_of(tenant, user=ana)


def text_of(answer: Any) -> str:
    return html.unescape(answer.content.decode())


def said(pages: Client, answer: Any) -> str:
    """What the page says that a form leads to."""
    assert answer.status_code == 302, text_of(answer)[-2000:]
    page = text_of(pages.get(answer["Location"]))
    return " ".join(re.findall(r'<p class="message (?:success|error)">(.*?)</p>', page))


# --- General --------------------------------------------------------------------------------------


def test_settings_are_saved_and_hold_from_then_on(tenant: Tenant, pages: Client) -> None:
    given = {"name": "Nueva", "language": "en", "time_zone": "America/Bogota"}

    assert said(pages, pages.post(HOME, given)) == "The settings have been saved."

    tenant.refresh_from_db()
    assert (tenant.name, tenant.language, tenant.time_zone) == tuple(given.values())


@pytest.mark.parametrize(
    "wrong",
    [{"name": ""}, {"name": "x" * 201}, {"language": "fr"}, {"time_zone": "Mars/Olympus"}],
)
def test_a_wrong_setting_is_told_at_its_field_and_nothing_is_saved(
    tenant: Tenant, pages: Client, wrong: dict[str, str]
) -> None:
    given = {"name": "Nueva", "language": "en", "time_zone": "UTC"} | wrong

    answer = pages.post(HOME, given)

    assert answer.status_code == 400
    assert f'id="id_{next(iter(wrong))}_error"' in text_of(answer)
    tenant.refresh_from_db()
    assert tenant.name == "Acme"


def test_each_agent_says_how_long_it_keeps_conversations(tenant: Tenant, pages: Client) -> None:
    agent = make_agent(tenant, name="Sales", store_transcripts=True, transcript_retention_days=90)
    make_agent(tenant, name="Support")

    page = text_of(pages.get(HOME))

    assert f'<a href="/dashboard/agents/{agent.pk}">Sales</a><span class="note">90 days' in page
    assert 'Support</a><span class="note">not kept' in page


# --- People ---------------------------------------------------------------------------------------


def test_an_invitation_is_mailed(tenant: Tenant, pages: Client) -> None:
    answer = pages.post(PEOPLE, {"email": "Eva@Acme.es", "role": "viewer"})

    assert said(pages, answer) == "Eva@Acme.es has been invited and will get a link by e-mail."
    member = Membership.objects.for_tenant(tenant).get(user__email="eva@acme.es")
    assert (member.role, member.status) == ("viewer", "invited")
    assert OutgoingMail.objects.for_tenant(tenant).get().recipient == "eva@acme.es"


def test_whoever_is_there_is_not_invited_again_and_the_form_keeps_the_address(
    pages: Client, ana: User
) -> None:
    answer = pages.post(PEOPLE, {"email": ana.email, "role": "member"})

    assert answer.status_code == 400
    assert "This person is already a member or has been invited." in text_of(answer)
    assert f'value="{ana.email}"' in text_of(answer)


def test_another_link_takes_the_place_of_the_first(tenant: Tenant, pages: Client) -> None:
    eva = make_stranger("eva@acme.es")
    make_invitation(tenant, eva)
    before = eva.memberships.get()

    answer = pages.post(f"{PEOPLE}/{eva.pk}/invitation")

    assert said(pages, answer) == "eva@acme.es will get another link by e-mail."
    after = eva.memberships.get()
    assert after.invitation_hash != before.invitation_hash
    assert after.invitation_expires_at is not None
    assert before.invitation_expires_at is not None
    assert after.invitation_expires_at > before.invitation_expires_at


def test_a_role_is_changed(tenant: Tenant, pages: Client) -> None:
    leo = make_user(tenant, role=Role.MEMBER, email="leo@acme.es")

    answer = pages.post(f"{PEOPLE}/{leo.pk}/role", {"role": "admin"})

    assert said(pages, answer) == "New role of leo@acme.es: Admin."
    assert leo.memberships.get().role == "admin"


def test_a_role_that_there_is_not_is_refused(tenant: Tenant, pages: Client) -> None:
    leo = make_user(tenant, role=Role.MEMBER)

    answer = pages.post(f"{PEOPLE}/{leo.pk}/role", {"role": "owner"})

    assert said(pages, answer) == "This role does not exist. Choose one from the list."


def test_the_last_admin_stays_one(pages: Client, ana: User) -> None:
    answer = pages.post(f"{PEOPLE}/{ana.pk}/role", {"role": "viewer"})

    assert said(pages, answer).startswith("A workspace needs at least one admin")
    assert ana.memberships.get().role == "admin"


def test_the_last_admin_is_not_removed_nor_is_oneself(
    tenant: Tenant, pages: Client, ana: User
) -> None:
    for _ in range(2):
        answer = pages.post(f"{PEOPLE}/{ana.pk}/remove", {"confirmation": ana.email})

        assert said(pages, answer).startswith("You cannot remove yourself here.")
        assert Membership.objects.for_tenant(tenant).filter(user=ana).exists()
        make_user(tenant)


def test_whoever_is_removed_has_had_their_address_typed(tenant: Tenant, pages: Client) -> None:
    leo = make_user(tenant, role=Role.MEMBER, email="leo@acme.es")
    address = f"{PEOPLE}/{leo.pk}/remove"

    for typed in ("", "leo"):
        refused = said(pages, pages.post(address, {"confirmation": typed}))
        assert refused == "That address does not match. Nobody was removed."
    assert leo.memberships.count() == 1

    done = said(pages, pages.post(address, {"confirmation": "Leo@acme.es "}))
    assert done == "leo@acme.es is no longer in this workspace."
    assert leo.memberships.count() == 0


def test_a_page_of_people_costs_the_same_for_any_number(
    tenant: Tenant, pages: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(30):
        make_user(tenant, role=Role.MEMBER)

    with django_assert_max_num_queries(8):
        pages.get(PEOPLE)


# --- API tokens -----------------------------------------------------------------------------------


def test_a_token_is_shown_once_and_works_until_it_is_revoked(
    tenant: Tenant, pages: Client, api: Any
) -> None:
    page = text_of(pages.post(f"{HOME}/tokens", {"name": "Shop", "days": "30"}))
    found = re.search(r'<pre id="new-token" tabindex="0">([^<]+)</pre>', page)
    assert found is not None
    token = found[1]
    headers = {"Authorization": f"Bearer {token}"}

    assert token not in text_of(pages.get(f"{HOME}/tokens"))
    assert api.get("/agents", headers=headers).status_code == 200

    row = ApiToken.objects.for_tenant(tenant).get()
    answer = pages.post(f"{HOME}/tokens/{row.pk}/revoke")

    assert said(pages, answer) == "The token has been revoked and no longer gives access."
    assert api.get("/agents", headers=headers).status_code == 401


@pytest.mark.parametrize("given", [{"name": ""}, {"days": "0"}, {"days": "36500"}, {"days": "x"}])
def test_a_wrong_token_is_not_made(tenant: Tenant, pages: Client, given: dict[str, str]) -> None:
    answer = pages.post(f"{HOME}/tokens", {"name": "Shop", "days": "30"} | given)

    assert answer.status_code == 400
    assert not ApiToken.objects.for_tenant(tenant).exists()


def test_too_many_tokens_are_told(pages: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounts.services.api_tokens.MAX_TOKENS", 0)

    answer = pages.post(f"{HOME}/tokens", {"name": "Shop", "days": "30"})

    assert answer.status_code == 400
    assert "Revoke one first." in text_of(answer)


# --- Company and plan -----------------------------------------------------------------------------


def test_the_company_is_written_and_read(tenant: Tenant, pages: Client) -> None:
    assert (
        said(pages, pages.post(f"{HOME}/company", COMPANY)) == "The company profile has been saved."
    )

    kept = CompanyProfile.objects.for_tenant(tenant).get()
    assert {name: getattr(kept, name) for name in COMPANY} == COMPANY
    assert 'value="B12345674"' in text_of(pages.get(f"{HOME}/company"))


@pytest.mark.parametrize("wrong", [{"country": "XX"}, {"billing_email": "x"}, {"tax_id": ""}])
def test_a_wrong_company_is_told_at_its_field(
    tenant: Tenant, pages: Client, wrong: dict[str, str]
) -> None:
    answer = pages.post(f"{HOME}/company", COMPANY | wrong)

    assert answer.status_code == 400
    assert f'id="id_{next(iter(wrong))}_error"' in text_of(answer)
    assert not CompanyProfile.objects.for_tenant(tenant).exists()


@pytest.mark.django_db
def test_usage_is_drawn_against_the_plan() -> None:
    tenant = make_tenant(plan="starter")
    UsageCounter.objects.for_tenant(tenant).create(
        metric="queries", period_start=this_month(), used=5100, overage=100
    )

    page = text_of(pages_of(tenant).get(f"{HOME}/plan"))

    assert '<svg class="meter bad"' in page
    assert '<rect class="fill" width="100"' in page
    assert 'aria-label="100 % used"' in page
    assert "100 over the limit, billed with the next invoice." in page


@pytest.mark.django_db
def test_passages_stand_beside_documents_with_what_each_plan_holds() -> None:
    tenant = make_tenant(plan="starter")
    make_source(tenant, source_type="web", chunks_count=180_000)

    page = text_of(pages_of(tenant).get(f"{HOME}/plan"))

    assert "Passages in all sources" in page
    assert "180,000" in page
    assert 'aria-label="90 % used"' in page
    for each in ("10,000", "200,000", "2,000,000"):
        assert f'<td class="number nowrap" data-label="Passages">{each}</td>' in page


# --- Export ---------------------------------------------------------------------------------------


def test_an_export_is_asked_for_watched_and_downloaded(
    tenant: Tenant,
    pages: Client,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[tuple[str, ...]] = []
    monkeypatch.setattr(
        "accounts.services.leaving.exports.enqueue", lambda task, *ids: told.append(ids)
    )
    with django_capture_on_commit_callbacks(execute=True):
        answer = pages.post(f"{HOME}/exports", {"password": PASSWORD})
    export = WorkspaceExport.objects.for_tenant(tenant).get()

    assert said(pages, answer).startswith("The export is being prepared.")
    assert told == [(str(export.pk), str(tenant.pk))]
    part = text_of(pages.get(f"{HOME}/exports", headers={"HX-Request": "true"}))
    assert 'hx-trigger="every 2s"' in part

    make_export(tenant, export.pk)
    part = text_of(pages.get(f"{HOME}/exports", headers={"HX-Request": "true"}))
    assert "hx-trigger" not in part
    assert 'name="password"' in text_of(pages.get(f"{HOME}/exports/{export.pk}"))
    download = pages.post(f"{HOME}/exports/{export.pk}", {"password": PASSWORD})

    assert download["Content-Type"] == "application/zip"
    assert download["Content-Disposition"].startswith('attachment; filename="acme-')
    content = b"".join(download)
    assert "members.jsonl" in zipfile.ZipFile(io.BytesIO(content)).namelist()


def test_a_second_export_waits_for_the_first(tenant: Tenant, pages: Client) -> None:
    begin_export(tenant)

    answer = pages.post(f"{HOME}/exports", {"password": PASSWORD})

    assert said(pages, answer) == "An export is already being prepared. Wait until it is ready."


def test_an_open_browser_takes_nothing_along(tenant: Tenant, pages: Client) -> None:
    for given in ({}, {"password": "wrong"}):
        assert said(pages, pages.post(f"{HOME}/exports", given)) == "This is not your password."
    assert not WorkspaceExport.objects.for_tenant(tenant).exists()

    export = begin_export(tenant)
    make_export(tenant, export.pk)
    for given, told in (({}, "This field is required."), ({"password": "x"}, "not your password")):
        answer = pages.post(f"{HOME}/exports/{export.pk}", given)
        assert answer.status_code == 400
        assert told in text_of(answer)


def test_an_export_that_failed_says_so(tenant: Tenant, pages: Client) -> None:
    export = begin_export(tenant)
    WorkspaceExport.objects.for_tenant(tenant).update(state=ExportState.FAILED, reason="no_storage")

    assert "The file storage did not answer." in text_of(pages.get(f"{HOME}/leaving"))
    assert pages.get(f"{HOME}/exports/{export.pk}").status_code == 404


# --- The end --------------------------------------------------------------------------------------


def test_the_end_is_asked_for_shown_everywhere_and_cancelled(tenant: Tenant, pages: Client) -> None:
    wrong = said(
        pages, pages.post(f"{HOME}/deletion", {"confirmation": "Acme Inc", "password": PASSWORD})
    )
    assert wrong.startswith("That is not the short name")

    without = said(pages, pages.post(f"{HOME}/deletion", {"confirmation": "acme"}))
    assert without == "This is not your password."

    given = {"confirmation": "acme", "password": PASSWORD}
    right = said(pages, pages.post(f"{HOME}/deletion", given))
    assert right == "All admins are notified by e-mail."
    banner = "This workspace will be deleted for good on"
    assert banner in text_of(pages.get("/dashboard/"))
    assert banner in text_of(pages_of(tenant, role=Role.VIEWER).get("/dashboard/"))

    kept = said(pages, pages.post(f"{HOME}/deletion/cancel"))
    assert kept == "The deletion has been cancelled."
    assert banner not in text_of(pages.get("/dashboard/"))


@pytest.mark.parametrize("path", ["", "/people", "/tokens", "/company", "/plan", "/leaving"])
def test_no_tab_costs_many_queries(
    pages: Client, path: str, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(10):
        assert pages.get(f"{HOME}{path}").status_code == 200


# --- A customer's data ----------------------------------------------------------------------------


def shown(answer: Any) -> str:
    """The fingerprint of what a page says is found."""
    assert answer.status_code == 200
    [found] = re.findall(r'name="shown" value="(\w{64})"', text_of(answer))
    return str(found)


def test_what_a_customer_wrote_is_told_and_then_downloaded(tenant: Tenant, pages: Client) -> None:
    lead = make_lead(make_agent(tenant), session_id="s", email="eva@example.org")
    given = {"contact": " Eva@Example.org "}

    told = pages.post(f"{HOME}/customers/data", given)
    assert "1 lead, on" in text_of(told)
    assert "conversation," not in text_of(told)
    answer = pages.post(f"{HOME}/customers/data", given | {"shown": shown(told)})

    with zipfile.ZipFile(io.BytesIO(b"".join(answer))) as archive:
        assert lead.email in archive.read("leads.jsonl").decode()


def test_what_a_customer_wrote_is_told_and_then_deleted_with_a_receipt(
    tenant: Tenant, pages: Client
) -> None:
    make_lead(make_agent(tenant), session_id="s", email="eva@example.org")
    given = {"contact": " Eva@Example.org "}

    told = pages.post(f"{HOME}/customers/erasure", given)
    assert Lead.objects.for_tenant(tenant).exists()
    deleted = pages.post(f"{HOME}/customers/erasure", given | {"shown": shown(told)})

    assert said(pages, deleted) == "Everything that was found has been deleted."
    receipt = ErasureReceipt.objects.get(workspace_id=tenant.pk)
    assert (receipt.asked_by, receipt.erased) == ("admin", {"leads": 1})
    page = text_of(pages.get(f"{HOME}/leaving"))
    assert receipt.subject in page
    assert "eva@example.org" not in page
    for path in ("data", "erasure"):
        assert said(pages, pages.post(f"{HOME}/customers/{path}", given)) == "Nothing was found."


@pytest.mark.parametrize("stale", ["", "0" * 64, "an older page"])
def test_nothing_goes_that_was_not_shown(tenant: Tenant, pages: Client, stale: str) -> None:
    """Of three conversations that hold a number, two may be about boxes."""
    agent = make_agent(tenant)
    given = {"contact": "+34600111222"}
    for session_id in ("s", "t"):
        make_message(make_conversation(agent, session_id=session_id), question="600 111 222")
    if stale == "an older page":
        stale = shown(pages.post(f"{HOME}/customers/erasure", given))
        make_message(make_conversation(agent, session_id="u"), question="600111222 cajas")

    answer = pages.post(f"{HOME}/customers/erasure", given | {"shown": stale})

    page = text_of(answer)
    count = Conversation.objects.for_tenant(tenant).count()
    assert f"{count} conversations, from" in page
    assert ("Something has changed since you looked." in page) == bool(stale)
    assert not ErasureReceipt.objects.filter(workspace_id=tenant.pk).exists()
    pages.post(f"{HOME}/customers/erasure", given | {"shown": shown(answer)})
    assert not Conversation.objects.for_tenant(tenant).exists()


@pytest.mark.parametrize("path", ["data", "erasure"])
def test_a_contact_that_is_none_is_told(pages: Client, path: str) -> None:
    for contact in ("eva", "+34600", "@example.org", ""):
        answer = pages.post(f"{HOME}/customers/{path}", {"contact": contact})

        assert said(pages, answer).startswith("Enter an e-mail address, or a full phone number")
