"""Programs that use a workspace: the page that lets them in, the list, and how to connect one."""

import html
import re
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone, translation

from accounts.models import Membership, ProgramAccess, ProgramCode, Role, Tenant, User
from accounts.tests.factories import make_access, make_membership, make_program, make_user
from agents.tests.factories import make_agent
from dashboard.templatetags.programs import destination, shown_name
from dashboard.tests.factories import pages_of
from dashboard.tests.rows_people import WISH
from dashboard.tests.rows_programs import REDIRECT_URI, asked

ALLOW = "/dashboard/programs/allow"
PROGRAMS = "/dashboard/workspace/programs"
ELSEWHERE = "/dashboard/workspace/elsewhere"


@pytest.fixture
def ana(tenant: Tenant) -> User:
    return make_user(tenant, email="ana@acme.es")


@pytest.fixture
def membership(ana: User) -> Membership:
    return ana.memberships.get()


@pytest.fixture
def pages(tenant: Tenant, ana: User) -> Client:
    return pages_of(tenant, user=ana)


def text_of(answer: Any) -> str:
    return html.unescape(answer.content.decode())


def allow_page(**over: str) -> str:
    return f"{ALLOW}?{urlencode(asked(**over))}"


def policy_of(answer: Any) -> str:
    return str(answer["Content-Security-Policy"])


def consent(membership: Membership, answer: str = "allow") -> dict[str, str]:
    """The form of the page that was shown to them."""
    return {"membership": str(membership.pk), "answer": answer}


# --- What the page says ---------------------------------------------------------------------------


def test_the_page_says_who_asks_where_it_leads_for_what_and_as_whom(pages: Client) -> None:
    page = text_of(pages.get(allow_page()))

    assert "Give “<bdi>Claude</bdi>” access?" in page
    assert '<strong class="breaks">claude.example</strong>' in page
    assert "<strong>Acme</strong>" in page
    assert 'ana@acme.es <span class="faint">Admin</span>' in page
    assert "Ask your agents" in page
    assert "read passages from them" in page
    assert "30 days; 180 days at most" in page


def test_what_was_not_asked_for_is_told_as_what_it_may_not(pages: Client) -> None:
    page = text_of(pages.get(allow_page(scope="ask")))

    assert "read passages from them" not in page
    assert "List your sources, or read more of them than answers and searches show." in page


@pytest.mark.parametrize(("role", "is_told"), [(Role.MEMBER, False), (Role.VIEWER, True)])
def test_somebody_whose_role_sees_no_sources_is_told_that_it_will_not_either(
    tenant: Tenant, role: Role, is_told: bool
) -> None:
    for scope in ("ask", "ask sources"):
        page = text_of(pages_of(tenant, role=role).get(allow_page(scope=scope)))

        assert ("Your role cannot see sources" in page) is is_told


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Claude", "Claude"),
        ("\u202eedualC", "edualC"),
        (" two\r\n lines\0 ", "two lines"),
        ("x" * 500, "x" * 80 + "…"),
        ("\u200b\u2066", "Unnamed program"),
    ],
)
def test_a_name_is_one_line_without_what_nobody_sees(name: str, shown: str) -> None:
    with translation.override("en"):
        assert shown_name(name) == shown


@pytest.mark.parametrize(
    ("redirect_uri", "shown"),
    [
        ("https://claude.ai/api/mcp/auth_callback", "claude.ai"),
        ("https://claude.ai.evil.example:8443/claude.ai", "claude.ai.evil.example:8443"),
        ("http://localhost:3118/callback", "a program on this computer"),
        ("http://[::1]:3118/callback", "a program on this computer"),
        ("cursor://anysphere.cursor-mcp/oauth/callback", "an app on this device (cursor:)"),
    ],
)
def test_where_it_leads_is_the_host_and_nothing_else(redirect_uri: str, shown: str) -> None:
    with translation.override("en"):
        assert destination(redirect_uri) == shown


def test_a_name_is_text_wherever_it_stands(pages: Client, membership: Membership) -> None:
    hostile = '<script>alert(1)</script>"><img src=x>\u202e'
    make_access(
        membership,
        program=make_program(client_id="hostile", name=hostile, redirect_uris=[REDIRECT_URI]),
    )

    for address in (allow_page(client_id="hostile"), PROGRAMS):
        page = pages.get(address).content.decode()
        assert "<script>alert" not in page
        assert "<img" not in page
        assert "\u202e" not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_a_program_that_describes_itself_is_shown_with_where_it_does(pages: Client) -> None:
    address = "https://made-by.example/program.json"
    make_program(
        client_id=address, redirect_uris=[REDIRECT_URI], published_at=timezone.now(), name="Claude"
    )
    described = '<span>Described at</span> <strong class="breaks">made-by.example</strong>'

    assert described in text_of(pages.get(allow_page(client_id=address)))
    assert "Described at" not in text_of(pages.get(allow_page()))


# --- Coming there ---------------------------------------------------------------------------------


def test_whoever_is_not_signed_in_comes_back_with_all_that_was_asked(
    client: Client, tenant: Tenant
) -> None:
    ana = make_user(tenant, password="a long enough secret")
    address = allow_page(state="a&b=c d")
    sign_in = client.get(address)["Location"]
    given = {"email": ana.email, "password": "a long enough secret"}

    assert client.post(sign_in, given)["Location"] == address


def test_whoever_was_signed_out_meanwhile_sees_the_page_again(
    client: Client, tenant: Tenant
) -> None:
    ana = make_user(tenant, password="a long enough secret")
    address = allow_page()
    sign_in = client.post(address, consent(ana.memberships.get()))["Location"]
    given = {"email": ana.email, "password": "a long enough secret"}

    assert client.post(sign_in, given)["Location"] == address
    assert not ProgramCode.objects.for_tenant(tenant).exists()


def test_every_way_in_leads_to_the_page(client: Client, db: None) -> None:
    sign_in = client.get(allow_page())["Location"]
    page = text_of(client.get(sign_in))

    for way in ("sign-in/code", "reset-password", "sign-up"):
        assert f'href="/dashboard/{way}?{urlsplit(sign_in).query}"' in page


def test_whoever_signs_up_on_the_way_is_led_on_to_it(client: Client, db: None) -> None:
    address = allow_page()
    asked_for = client.post("/dashboard/sign-up", WISH, query_params={"next": address})
    step = re.search(r'action="(/dashboard/sign-up/code[^"]*)"', text_of(asked_for))

    assert step is not None
    assert parse_qs(urlsplit(step[1]).query) == {"next": [address]}


def test_whoever_has_several_workspaces_chooses_and_comes_back(
    client: Client, tenant: Tenant, other_tenant: Tenant
) -> None:
    ana = make_user(tenant, password="a long enough secret")
    make_membership(other_tenant, ana)
    address = allow_page()
    given = {"email": ana.email, "password": "a long enough secret"}
    choice = client.post(client.get(address)["Location"], given)["Location"]

    assert urlsplit(choice).path == "/dashboard/workspaces"
    assert client.post(choice, {"slug": other_tenant.slug})["Location"] == address
    assert f"<strong>{other_tenant.name}</strong>" in text_of(client.get(address))


def test_the_page_leads_to_another_workspace_and_back(
    pages: Client, ana: User, other_tenant: Tenant
) -> None:
    make_membership(other_tenant, ana)
    address = allow_page()
    found = re.search(r'action="(/dashboard/workspaces\?[^"]*)"', text_of(pages.get(address)))

    assert found is not None
    assert pages.post(found[1], {"slug": other_tenant.slug})["Location"] == address


# --- Allowing -------------------------------------------------------------------------------------


def test_allowing_leads_back_with_a_code_for_this_very_request(
    pages: Client, tenant: Tenant, membership: Membership
) -> None:
    answer = pages.post(allow_page(scope="ask", state="a&b=c"), consent(membership))

    assert answer.status_code == 302
    told = parse_qs(urlsplit(answer["Location"]).query)
    assert answer["Location"].startswith(f"{REDIRECT_URI}?")
    assert (told["state"], told["iss"]) == (["a&b=c"], [settings.BASE_URL])
    code = ProgramCode.objects.for_tenant(tenant).get()
    assert (code.membership_id, code.scope, code.redirect_uri) == (
        membership.pk,
        "ask",
        REDIRECT_URI,
    )
    assert told["code"][0] not in str(vars(code))


@pytest.mark.parametrize("answer", ["cancel", "", "ALLOW"])
def test_anything_but_allowing_leads_back_with_nothing(
    pages: Client, membership: Membership, answer: str
) -> None:
    back = pages.post(allow_page(), consent(membership, answer))["Location"]

    assert parse_qs(urlsplit(back).query)["error"] == ["access_denied"]
    assert not ProgramCode.all_tenants.exists()


def test_back_to_an_app_leads_a_page_with_a_link(pages: Client, membership: Membership) -> None:
    uri = "cursor://anysphere.cursor-mcp/oauth/callback"
    make_program(client_id="cursor", name="Cursor", redirect_uris=[uri])

    answer = pages.post(allow_page(client_id="cursor", redirect_uri=uri), consent(membership))

    assert answer.status_code == 200
    found = re.findall(r'(?:url=|href=")(cursor://[^"]+)', text_of(answer))
    assert len(found) == 2
    assert found[0] == found[1]
    assert found[0].startswith(f"{uri}?code=")


def test_cancelling_opens_no_app_but_shows_the_way_back(
    pages: Client, membership: Membership
) -> None:
    uri = "cursor://anysphere.cursor-mcp/oauth/callback"
    make_program(client_id="cursor", name="Cursor", redirect_uris=[uri])

    answer = pages.post(
        allow_page(client_id="cursor", redirect_uri=uri), consent(membership, "cancel")
    )

    assert (answer.status_code, "Location" in answer) == (200, False)
    page = text_of(answer)
    assert "http-equiv" not in page
    found = re.search(r'href="(cursor://[^"]+)"', page)
    assert found is not None
    assert found[1].startswith(f"{uri}?error=access_denied")
    assert f'<code class="breaks">{found[1]}</code>' in page


@pytest.mark.parametrize(
    "uri", [f"{REDIRECT_URI}?kind=mcp", "cursor://anysphere.cursor-mcp/oauth/callback"]
)
def test_the_whole_address_is_shown_before_anything_is_allowed(pages: Client, uri: str) -> None:
    make_program(client_id="whole", redirect_uris=[uri])

    page = text_of(pages.get(allow_page(client_id="whole", redirect_uri=uri)))

    assert f'<code class="breaks">{uri}</code>' in page


def test_an_address_that_makes_an_app_do_something_is_nobodys_way_back(
    pages: Client, membership: Membership
) -> None:
    """Also of a program that registered when it was allowed."""
    uri = "cursor://anysphere.cursor-deeplink/mcp/install?name=x&config=e30"
    make_program(client_id="cursor", redirect_uris=[uri])
    address = allow_page(client_id="cursor", redirect_uri=uri)

    for answer in (pages.get(address), pages.post(address, consent(membership, "cancel"))):
        assert answer.status_code == 400
        assert "cursor://" not in text_of(answer)


def test_what_was_allowed_once_is_asked_again(pages: Client, membership: Membership) -> None:
    program = make_program(redirect_uris=[REDIRECT_URI])
    make_access(membership, program=program)

    assert pages.get(allow_page(client_id=program.client_id)).status_code == 200
    assert not ProgramCode.all_tenants.exists()


@pytest.mark.parametrize("given", ["another", "none", "\0"])
def test_consent_counts_for_the_person_and_workspace_that_the_page_showed(
    pages: Client, ana: User, other_tenant: Tenant, given: str
) -> None:
    elsewhere = make_membership(other_tenant, ana)
    shown = {"another": str(elsewhere.pk), "none": ""}.get(given, given)

    answer = pages.post(allow_page(), {"membership": shown, "answer": "allow"})

    assert answer.status_code == 409
    assert "No access has been given yet" in text_of(answer)
    assert not ProgramCode.all_tenants.exists()


def test_a_form_of_another_site_allows_nothing(pages: Client, membership: Membership) -> None:
    pages.handler.enforce_csrf_checks = True

    assert pages.post(allow_page(), consent(membership)).status_code == 403
    assert not ProgramCode.all_tenants.exists()


def test_whoever_let_in_many_ends_one_first(
    pages: Client, membership: Membership, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accounts.services.programs.MAX_PROGRAMS", 1)
    make_access(membership, program=make_program(client_id="first"))

    answer = pages.post(allow_page(), consent(membership))

    assert answer.status_code == 409
    assert "End the access of one first." in text_of(answer)


def test_the_page_stands_in_no_frame_and_lets_its_form_lead_to_the_program(
    pages: Client,
) -> None:
    """Chromium and Safari hold the redirect after a form to form-action."""
    answer = pages.get(allow_page())

    assert "form-action" not in policy_of(answer)
    assert "default-src 'none'; script-src 'self'" in policy_of(answer)
    assert policy_of(answer).endswith("frame-ancestors 'none'")
    assert answer["X-Frame-Options"] == "DENY"
    assert answer["Referrer-Policy"] == "same-origin"  # else the form's Origin is null
    assert "form-action 'self'" in policy_of(pages.get(PROGRAMS))


# --- What is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "over",
    [
        {"client_id": "nobody's"},
        {"client_id": ""},
        {"client_id": "x" * 5000},
        {"redirect_uri": "https://evil.example/"},
        {"redirect_uri": f"{REDIRECT_URI}/more"},
        {"redirect_uri": "javascript:alert(1)"},
        {"redirect_uri": ""},
        {"state": "a\0b"},
    ],
)
def test_who_asks_wrongly_of_whom_nothing_is_known_is_led_nowhere(
    pages: Client, membership: Membership, over: dict[str, str]
) -> None:
    for answer in (
        pages.get(allow_page(**over)),
        pages.post(allow_page(**over), consent(membership)),
    ):
        assert answer.status_code == 400
        assert "Location" not in answer
        assert "evil.example" not in text_of(answer)
        assert "javascript:" not in text_of(answer)
    assert not ProgramCode.all_tenants.exists()


def test_a_parameter_that_comes_twice_is_refused(pages: Client) -> None:
    answer = pages.get(f"{allow_page()}&redirect_uri=https%3A%2F%2Fevil.example%2F")

    assert answer.status_code == 400
    assert "evil.example" not in text_of(answer)


@pytest.mark.parametrize(
    ("over", "error"),
    [
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"scope": "everything"}, "invalid_scope"),
        ({"code_challenge": ""}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"resource": "https://api.example/"}, "invalid_target"),
    ],
)
def test_what_cannot_be_granted_is_told_to_the_program_only_by_a_link(
    pages: Client, membership: Membership, over: dict[str, str], error: str
) -> None:
    """Whoever registers a program could else lead people from our address to any other."""
    for answer in (
        pages.get(allow_page(**over)),
        pages.post(allow_page(**over), consent(membership)),
    ):
        assert answer.status_code == 400
        assert "http-equiv" not in text_of(answer)
        found = re.search(rf'href="({re.escape(REDIRECT_URI)}\?[^"]*)"', text_of(answer))
        assert found is not None
        assert parse_qs(urlsplit(found[1]).query)["error"] == [error]
    assert not ProgramCode.all_tenants.exists()


# --- The list -------------------------------------------------------------------------------------


@pytest.fixture
def eva(tenant: Tenant) -> User:
    return make_user(tenant, role=Role.VIEWER, email="eva@acme.es")


@pytest.fixture
def hers(eva: User) -> ProgramAccess:
    program = make_program(client_id="cursor", name="Cursor", redirect_uris=["cursor://a/b"])
    return make_access(eva.memberships.get(), program=program, scope="ask")


def test_the_list_names_program_person_and_what_it_may(pages: Client, hers: ProgramAccess) -> None:
    page = text_of(pages.get(PROGRAMS))

    assert "<bdi>Cursor</bdi>" in page
    assert '<div class="note">on the person’s own device</div>' in page
    assert "eva@acme.es" in page
    assert '<div class="note">Can ask and search</div>' in page
    assert '<td data-label="Last used">never</td>' in page


def test_an_empty_list_leads_to_how_to_connect_one(pages: Client) -> None:
    page = text_of(pages.get(PROGRAMS))

    assert "No program has access" in page
    assert f'<a class="button" href="{ELSEWHERE}">' in page


def test_others_see_and_end_their_own_alone(
    tenant: Tenant, membership: Membership, eva: User, hers: ProgramAccess
) -> None:
    anas = make_access(membership, program=make_program(name="Claude"))
    pages = pages_of(tenant, user=eva)

    page = text_of(pages.get(PROGRAMS))
    ended = [pages.post(f"{PROGRAMS}/{access.pk}/end").status_code for access in (hers, anas)]

    assert "Cursor" in page
    assert "ana@acme.es" not in page
    assert ended == [302, 404]
    open_ones = ProgramAccess.objects.for_tenant(tenant).filter(revoked_at=None)
    assert list(open_ones) == [anas]


def test_an_admin_ends_anybodys_and_it_is_gone_from_the_list(
    pages: Client, tenant: Tenant, hers: ProgramAccess
) -> None:
    answer = pages.post(f"{PROGRAMS}/{hers.pk}/end")

    assert answer["Location"] == PROGRAMS
    page = text_of(pages.get(PROGRAMS))
    assert "The program no longer has access." in page
    assert "<bdi>Cursor</bdi>" not in page
    hers.refresh_from_db()
    assert hers.revoked_at is not None


def test_many_programs_cost_no_more_queries_than_two(
    pages: Client, membership: Membership, django_assert_max_num_queries: Any
) -> None:
    def count() -> int:
        with django_assert_max_num_queries(30) as asked_for:
            assert pages.get(PROGRAMS).status_code == 200
        return len(asked_for)

    for number in range(2):
        make_access(membership, program=make_program(client_id=f"program {number}"))
    pages.get(PROGRAMS)
    few = count()
    for number in range(2, 20):
        make_access(membership, program=make_program(client_id=f"program {number}"))

    assert count() == few


# --- How to connect one ---------------------------------------------------------------------------


def test_the_addresses_can_be_copied(pages: Client) -> None:
    page = text_of(pages.get(ELSEWHERE))

    assert f'<pre id="mcp-address" tabindex="0">{settings.MCP_RESOURCE}</pre>' in page
    assert f'<code id="openai-address">{settings.BASE_URL}/v1</code>' in page
    for copied in re.findall(r'data-copies="([^"]+)"', page):
        assert page.count(f'id="{copied}"') == 1


def test_the_examples_are_with_the_agent_that_was_asked_for(pages: Client, tenant: Tenant) -> None:
    first, second = make_agent(tenant, name="A"), make_agent(tenant, name="B")

    assert f'"model": "{first.pk}"' in text_of(pages.get(ELSEWHERE))
    assert f'"model": "{second.pk}"' in text_of(pages.get(ELSEWHERE, {"agent": str(second.pk)}))


def test_another_tenants_agent_is_in_no_example(pages: Client, other_tenant: Tenant) -> None:
    theirs = make_agent(other_tenant)

    page = text_of(pages.get(ELSEWHERE, {"agent": str(theirs.pk)}))

    assert str(theirs.pk) not in page
    assert "There is no agent yet." in page


def test_only_admins_are_led_to_api_tokens(tenant: Tenant, pages: Client) -> None:
    link = 'href="/dashboard/workspace/tokens"'

    assert link in text_of(pages.get(ELSEWHERE))
    viewers = text_of(pages_of(tenant, role=Role.VIEWER).get(ELSEWHERE))
    assert link not in viewers
    assert "An admin of the workspace creates API tokens." in viewers
