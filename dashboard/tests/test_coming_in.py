"""Every way in: signing up, signing in, a forgotten password, an invitation, several workspaces."""

import re
from pathlib import Path
from typing import Any

import pyotp
import pytest
from django.core import mail
from django.db import OperationalError
from django.test import Client
from django.utils.encoding import iri_to_uri
from django.utils.http import urlencode
from pytest_django import Settings

from accounts.models import Membership, Plan, Purpose, Role, Session, Signup, Tenant, User
from accounts.signing_in.codes import make_code
from accounts.tests.code_mails import mailed_code, stop_mail_server, wrong_code
from accounts.tests.factories import (
    PASSWORD,
    make_invitation,
    make_membership,
    make_stranger,
    make_tenant,
    make_user,
    switch_two_factor_on,
)
from agents.services import list_agents
from config.database.acting import as_tenant
from config.security.rate_limits import LimitsUnavailable
from dashboard.door import COOKIE
from dashboard.tests.factories import pages_of
from query.models import NotificationSetting

HOME = "/dashboard/"
NEW_PASSWORD = "another horse battery 2"
POISON = "<script>alert(1)</script>\"'{{7*7}}"


@pytest.fixture
def browser(db: None) -> Client:
    """Nobody's."""
    return Client(raise_request_exception=False, headers={"accept-language": "en"})


def text_of(answer: Any) -> str:
    return str(answer.content.decode())


def problem_at(answer: Any, field: str) -> str:
    """What the page says at a field."""
    found = re.search(
        rf'id="id_{field}_error"[^>]*>\s*<p class="problem">(.*?)</p>', text_of(answer), re.DOTALL
    )
    return found[1] if found else ""


def problem_above(answer: Any) -> str:
    found = re.search(
        r'<div class="message error" role="alert"><p>(.*?)</p>', text_of(answer), re.DOTALL
    )
    return found[1] if found else ""


def hidden(answer: Any, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', text_of(answer))
    assert found, name
    return found[1]


def is_in(browser: Client) -> bool:
    return browser.get(HOME).status_code == 200


# --- Signing up -----------------------------------------------------------------------------------


def wish(**over: str) -> dict[str, str]:
    return {
        "email": "eva@nova.example",
        "password": NEW_PASSWORD,
        "tenant_name": "Nova",
        "slug": "nova",
    } | over


def test_signing_up_leads_through_a_mailed_code_into_the_workspace(browser: Client) -> None:
    asked = browser.post("/dashboard/sign-up", wish())
    assert "eva@nova.example" in text_of(asked)
    given = {"email": hidden(asked, "email"), "code": mailed_code()}

    answer = browser.post("/dashboard/sign-up/code", given)

    assert (answer.status_code, answer["Location"]) == (302, HOME)
    assert "Nova" in text_of(browser.get(HOME))
    assert Tenant.objects.get(slug="nova").language == "en"


def test_a_new_workspace_has_an_agent_that_keeps_conversations_and_collects_leads(
    browser: Client,
) -> None:
    asked = browser.post("/dashboard/sign-up", wish())
    given = {"email": hidden(asked, "email"), "code": mailed_code()}
    browser.post("/dashboard/sign-up/code", given)

    tenant = Tenant.objects.get(slug="nova")
    with as_tenant(tenant.pk):
        [agent] = list_agents(tenant)
        assert (agent.name, agent.store_transcripts) == ("Nova", True)
        assert (agent.lead_capture_enabled, agent.lead_notification_email) == (
            True,
            "eva@nova.example",
        )
        assert agent.transcript_retention_days == 30
        setting = NotificationSetting.objects.for_tenant(tenant).get()
        assert {"lead", "source_failed"} <= set(setting.mailed_kinds)
    page = text_of(browser.get(HOME))
    assert f'href="/dashboard/agents/{agent.pk}/playground"' in page
    assert f'href="/dashboard/agents/{agent.pk}/channels"' in page


# --- The first page -------------------------------------------------------------------------------


def test_the_first_page_may_be_found_and_shows_the_plans_prices(browser: Client) -> None:
    Plan.objects.filter(slug="starter").update(monthly_price=29)

    page = text_of(browser.get("/"))
    in_spanish = text_of(browser.get("/?lang=es"))

    assert "noindex" not in page
    assert "noindex" in text_of(browser.get("/dashboard/sign-in"))
    assert 'rel="canonical"' in page
    assert "€29" in page
    assert "29\N{NO-BREAK SPACE}€" in in_spanish
    assert "Price on request" in page


def test_legal_texts_are_the_operators_files_in_the_visitors_language_or_another(
    browser: Client, settings: Settings, tmp_path: Path
) -> None:
    settings.LEGAL_DIR = tmp_path
    (tmp_path / "privacy.es.md").write_text("# Privacidad\n\n<script>alert(1)</script>", "utf-8")
    (tmp_path / "privacy.en.md").write_text("# Privacy of Nova", "utf-8")
    (tmp_path / "imprint.es.md").write_text("# Nova, S. L.", "utf-8")

    page = text_of(browser.get("/"))

    assert 'href="/privacy"' in page
    assert 'href="/imprint"' in page
    assert 'href="/terms"' not in page
    assert "<h1>Privacy of Nova</h1>" in text_of(browser.get("/privacy"))
    assert "<h1>Nova, S. L.</h1>" in text_of(browser.get("/imprint"))
    assert "<script>alert" not in text_of(browser.get("/privacy?lang=es"))
    assert browser.get("/terms").status_code == 404


def test_help_and_a_larger_plan_are_where_the_operator_says(
    pages: Client, settings: Settings
) -> None:
    settings.SUPPORT_CONTACT = "mailto:help@nova.example"
    settings.UPGRADE_URL = "https://nova.example/upgrade"

    plan = text_of(pages.get("/dashboard/workspace/plan"))

    assert 'href="https://nova.example/upgrade"' in plan
    assert 'href="mailto:help@nova.example"' in plan
    assert 'href="mailto:help@nova.example"' in text_of(pages.get("/"))


def test_an_address_without_a_page_is_a_page_for_people_and_json_for_programs(
    browser: Client,
) -> None:
    person = browser.get("/no-such-page", headers={"sec-fetch-dest": "document"})
    program = browser.get("/no-such-page", headers={"accept": "text/html"})

    assert (person.status_code, person["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert (program.status_code, program.json()["error"]["code"]) == (404, "NOT_FOUND")


def test_a_short_name_is_made_of_the_long_one(browser: Client) -> None:
    browser.post("/dashboard/sign-up", wish(tenant_name="Muñoz & Hijos", slug=""))

    assert Signup.objects.get().slug == "munoz-hijos"


@pytest.mark.parametrize(
    ("over", "field", "words"),
    [
        ({"email": "eva"}, "email", "Enter a valid email address."),
        ({"password": "short"}, "password", "This password is too easy to guess."),
        ({"tenant_name": ""}, "tenant_name", "This field is required."),
        ({"slug": "a b"}, "slug", "A short name has 3 to 63 letters, digits and hyphens."),
        ({"slug": "acme"}, "slug", "This short name is taken. Choose another one."),
    ],
)
def test_what_is_wrong_with_a_wish_is_told_at_its_field_which_keeps_what_was_typed(
    browser: Client, tenant: Tenant, over: dict[str, str], field: str, words: str
) -> None:
    make_user(tenant, email="ana@acme.es")

    answer = browser.post("/dashboard/sign-up", wish(**over))

    assert answer.status_code == 400
    assert problem_at(answer, field).startswith(words)
    kept = wish(**over)
    for name in ("email", "tenant_name", "slug"):
        assert not kept[name] or f'value="{kept[name]}"' in text_of(answer)
    assert not Signup.objects.exists()


def test_whoever_is_an_admin_already_sees_the_same_page_and_gets_another_mail(
    browser: Client, tenant: Tenant
) -> None:
    make_user(tenant, email="ana@acme.es")

    known = browser.post("/dashboard/sign-up", wish(email="ana@acme.es"))
    other = browser.post("/dashboard/sign-up", wish(slug="other"))

    told = without_tokens(other).replace("eva@nova.example", "ana@acme.es")
    assert (known.status_code, without_tokens(known)) == (200, told)
    assert [sent.subject for sent in mail.outbox] == [
        "You already have a workspace",
        "Your code to create your workspace",
    ]


def test_another_code_takes_the_place_of_the_first(browser: Client) -> None:
    browser.post("/dashboard/sign-up", wish())
    first = mailed_code()

    again = browser.post("/dashboard/sign-up/again", {"email": "eva@nova.example", "another": "1"})

    assert "We have sent you another code." in text_of(again)
    second = mailed_code()
    given = {"email": "eva@nova.example", "code": second}
    if first != second:
        assert browser.post("/dashboard/sign-up/code", given | {"code": first}).status_code == 400
    assert browser.post("/dashboard/sign-up/code", given).status_code == 302


def test_a_code_that_could_not_be_sent_is_told_and_the_wish_kept(
    browser: Client, settings: Any
) -> None:
    stop_mail_server(settings)

    answer = browser.post("/dashboard/sign-up", wish())

    assert answer.status_code == 400
    assert problem_above(answer) == "The code could not be sent. Try again in a minute."
    assert 'value="Nova"' in text_of(answer)


# --- Signing in -----------------------------------------------------------------------------------


def sign_in(browser: Client, user: User, password: str = PASSWORD, **more: str) -> Any:
    return browser.post("/dashboard/sign-in", {"email": user.email, "password": password} | more)


def test_a_stranger_and_a_wrong_password_are_answered_alike(
    browser: Client, tenant: Tenant
) -> None:
    user = make_user(tenant, email="ana@acme.es")

    wrong = sign_in(browser, user, "wrong")
    unknown = browser.post("/dashboard/sign-in", {"email": "bea@acme.es", "password": "wrong"})

    assert problem_above(wrong) == "The e-mail address or the password is wrong."
    assert without_tokens(wrong) == without_tokens(unknown).replace("bea@", "ana@")


def test_a_fault_of_ours_is_told_in_the_form_and_is_no_mistake_of_theirs(
    browser: Client, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = make_user(tenant)

    def fail(*_: object, **__: object) -> None:
        raise LimitsUnavailable

    monkeypatch.setattr("dashboard.coming_in.views.sessions.log_in", fail)
    answer = sign_in(browser, user)

    assert answer.status_code == 503
    assert problem_above(answer) == LimitsUnavailable.default_message
    assert user.email in text_of(answer)


@pytest.mark.parametrize(
    ("fault", "status"), [(OperationalError("the server is gone"), 503), (KeyError("x"), 500)]
)
def test_a_database_that_went_away_passes_and_says_so(
    browser: Client, tenant: Tenant, monkeypatch: pytest.MonkeyPatch, fault: Exception, status: int
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise fault

    monkeypatch.setattr("dashboard.coming_in.views.sessions.log_in", fail)
    answer = sign_in(browser, make_user(tenant))

    assert answer.status_code == status
    assert answer.headers.get("Retry-After") == ("5" if status == 503 else None)


def without_tokens(answer: Any) -> str:
    """A page without what differs each time: the masked CSRF token."""
    return re.sub(r'(csrfmiddlewaretoken" value="|X-CSRFToken": ")\w+', "", text_of(answer))


def test_guessing_is_slowed_down_and_told(browser: Client, tenant: Tenant) -> None:
    user = make_user(tenant)
    for _ in range(10):
        sign_in(browser, user, "wrong")

    answer = sign_in(browser, user)

    assert problem_above(answer).startswith("Too many attempts in a short time.")
    assert not is_in(browser)


def test_signing_in_goes_on_to_the_page_that_was_wanted(browser: Client, tenant: Tenant) -> None:
    user = make_user(tenant)

    answer = browser.post(
        "/dashboard/sign-in?next=/dashboard/account", {"email": user.email, "password": PASSWORD}
    )

    assert answer["Location"] == "/dashboard/account"


def test_signing_in_again_ends_the_session_that_the_browser_had(
    browser: Client, tenant: Tenant
) -> None:
    ana, eva = make_user(tenant, email="ana@acme.es"), make_user(tenant, email="eva@acme.es")
    browser.post("/dashboard/sign-in", {"email": ana.email, "password": PASSWORD})
    elsewhere = pages_of(tenant, user=ana)

    browser.post("/dashboard/sign-in", {"email": eva.email, "password": PASSWORD})

    assert is_in(browser)
    assert is_in(elsewhere)
    open_now = Session.objects.for_tenant(tenant).filter(revoked_at=None)
    assert sorted(open_now.values_list("membership__user__email", flat=True)) == [
        "ana@acme.es",
        "eva@acme.es",
    ]


@pytest.mark.parametrize(
    "wanted", ["/dashboard/?a=\r\nSet-Cookie: a=b", "/dashboard/?a=á", "/dashboard/?a=\0"]
)
def test_no_wanted_page_breaks_the_answer_to_htmx(
    browser: Client, tenant: Tenant, wanted: str
) -> None:
    ana = make_user(tenant, email="ana@acme.es")
    given = {"email": ana.email, "password": PASSWORD}

    answer = browser.post(
        f"/dashboard/sign-in?{urlencode({'next': wanted})}", given, headers={"HX-Request": "true"}
    )

    assert (answer.status_code, answer["HX-Redirect"]) == (204, iri_to_uri(wanted))


def test_a_hidden_field_that_is_wrong_is_told_all_the_same(browser: Client) -> None:
    given = {"email": "ana@acme.es", "password": PASSWORD, "tenant_slug": "a" * 64}

    answer = browser.post("/dashboard/sign-in", given)

    assert answer.status_code == 400
    assert problem_above(answer) == "Reload the page, then try again."


def test_a_short_name_that_cannot_be_one_is_no_workspace(tenant: Tenant) -> None:
    answer = pages_of(tenant).post("/dashboard/workspaces", {"slug": "a\0b"})

    assert answer.status_code == 404


def test_a_named_workspace_is_the_one_that_opens(browser: Client, tenant: Tenant) -> None:
    user = make_user(tenant)
    make_membership(make_tenant("zeta"), user)
    page = browser.get("/dashboard/sign-in?workspace=zeta")

    answer = sign_in(browser, user, tenant_slug=hidden(page, "tenant_slug"))

    assert answer["Location"] == HOME
    assert Session.all_tenants.get().tenant.slug == "zeta"


def test_a_workspace_of_others_is_refused_as_one_that_does_not_exist(
    browser: Client, tenant: Tenant, other_tenant: Tenant
) -> None:
    user = make_user(tenant)

    theirs, missing = (
        sign_in(browser, user, tenant_slug=slug) for slug in (other_tenant.slug, "missing")
    )

    assert theirs.status_code == missing.status_code == 400
    assert problem_above(theirs) == problem_above(missing) != ""


# --- With a code by mail --------------------------------------------------------------------------


def test_signing_in_with_a_mailed_code(browser: Client, tenant: Tenant) -> None:
    user = make_user(tenant)
    asked = browser.post("/dashboard/sign-in/code?next=/dashboard/account", {"email": user.email})
    [address] = re.findall(r'action="([^"]*/check[^"]*)"', text_of(asked))
    code = mailed_code()

    answer = browser.post(address, {"email": user.email, "code": f"{code[:3]} {code[3:]}"})

    assert (answer.status_code, answer["Location"]) == (302, "/dashboard/account")
    assert is_in(browser)


def test_a_wrong_code_is_told_at_its_field_and_another_can_be_sent(
    browser: Client, tenant: Tenant
) -> None:
    user = make_user(tenant)
    browser.post("/dashboard/sign-in/code", {"email": user.email})
    given = {"email": user.email, "code": wrong_code(mailed_code())}

    answer = browser.post("/dashboard/sign-in/code/check", given)

    assert answer.status_code == 400
    assert problem_at(answer, "code") == "The code is wrong, has been used, or has expired."
    assert hidden(answer, "email") == user.email
    browser.post("/dashboard/sign-in/code", {"email": user.email, "another": "1"})
    assert len(mail.outbox) == 2


@pytest.mark.parametrize("address", ["/dashboard/sign-in/code", "/dashboard/reset-password"])
def test_no_page_tells_whether_an_address_has_an_account(
    browser: Client, tenant: Tenant, address: str
) -> None:
    make_user(tenant, email="ana@acme.es")

    known, unknown = (
        browser.post(address, {"email": email}) for email in ("ana@acme.es", "bea@acme.es")
    )

    assert known.status_code == unknown.status_code == 200
    assert without_tokens(known) == without_tokens(unknown).replace("bea@", "ana@")
    assert [sent.to for sent in mail.outbox] == [["ana@acme.es"]]


@pytest.mark.parametrize(
    ("address", "purpose"),
    [
        ("/dashboard/sign-in/code/check", Purpose.LOGIN),
        ("/dashboard/reset-password/code", Purpose.RESET),
        ("/dashboard/sign-up/code", Purpose.SIGNUP),
    ],
)
def test_no_wrong_code_tells_it_either(
    browser: Client, tenant: Tenant, address: str, purpose: Purpose
) -> None:
    make_user(tenant, email="ana@acme.es")
    answers = []
    for email in ("ana@acme.es", "bea@acme.es"):
        while make_code(email, purpose) == "000000":
            pass
        given = {"email": email, "code": "000000", "new_password": NEW_PASSWORD}
        answers.append(browser.post(address, given))

    known, unknown = answers
    assert (known.status_code, problem_at(known, "code")) == (
        400,
        "The code is wrong, has been used, or has expired.",
    )
    assert without_tokens(known) == without_tokens(unknown).replace("bea@", "ana@")


@pytest.mark.parametrize(
    "address",
    [
        "/dashboard/sign-in/code/check",
        "/dashboard/sign-up/code",
        "/dashboard/reset-password/code",
        "/dashboard/sign-in/second-factor",
    ],
)
def test_a_second_step_that_is_opened_by_itself_leads_to_the_first(
    browser: Client, address: str
) -> None:
    answer = browser.get(address)

    assert answer.status_code == 302
    assert browser.get(answer["Location"]).status_code == 200


# --- The second factor ----------------------------------------------------------------------------


@pytest.fixture
def guarded(tenant: Tenant) -> tuple[User, str, list[str]]:
    """Somebody with two-factor on, their app's secret, and their recovery codes."""
    user = make_user(tenant)
    return user, *switch_two_factor_on(user)


def test_the_second_factor_is_asked_for_before_anything_is_open(
    browser: Client, guarded: tuple[User, str, list[str]]
) -> None:
    user, secret, _ = guarded

    asked = browser.post(
        "/dashboard/sign-in?next=/dashboard/account", {"email": user.email, "password": PASSWORD}
    )

    assert (asked.status_code, COOKIE in asked.cookies, is_in(browser)) == (200, False, False)
    [address] = re.findall(r'action="([^"]*second-factor[^"]*)"', text_of(asked))
    given = {"challenge": hidden(asked, "challenge"), "code": pyotp.TOTP(secret).now()}
    answer = browser.post(address, given)
    assert answer["Location"] == "/dashboard/account"
    assert is_in(browser)


def test_a_recovery_code_is_a_second_factor(
    browser: Client, guarded: tuple[User, str, list[str]]
) -> None:
    user, _, recovery_codes = guarded
    challenge = hidden(sign_in(browser, user), "challenge")

    given = {"challenge": challenge, "code": recovery_codes[0].upper()}

    assert browser.post("/dashboard/sign-in/second-factor", given).status_code == 302
    assert is_in(browser)


def test_a_wrong_second_factor_is_told_at_its_field_and_may_be_tried_again(
    browser: Client, guarded: tuple[User, str, list[str]]
) -> None:
    user, secret, _ = guarded
    challenge = hidden(sign_in(browser, user), "challenge")

    wrong = browser.post("/dashboard/sign-in/second-factor", {"challenge": challenge, "code": "12"})

    assert wrong.status_code == 400
    assert problem_at(wrong, "code") == "The code is wrong, has been used, or has expired."
    given = {"challenge": hidden(wrong, "challenge"), "code": pyotp.TOTP(secret).now()}
    assert browser.post("/dashboard/sign-in/second-factor", given).status_code == 302


def test_a_challenge_that_is_over_leads_back_to_signing_in_which_says_why(browser: Client) -> None:
    answer = browser.post(
        "/dashboard/sign-in/second-factor", {"challenge": "forged", "code": "123456"}, follow=True
    )

    assert answer.redirect_chain == [("/dashboard/sign-in", 302)]
    assert "That took too long" in text_of(answer)


def test_a_mailed_code_does_not_pass_the_second_factor_by(
    browser: Client, guarded: tuple[User, str, list[str]]
) -> None:
    answer = browser.post("/dashboard/sign-in/code", {"email": guarded[0].email})

    assert answer.status_code == 400
    assert "sign in with your password" in problem_above(answer)
    assert mail.outbox == []


# --- A forgotten password -------------------------------------------------------------------------


def test_a_forgotten_password_is_replaced_with_a_mailed_code(
    browser: Client, tenant: Tenant
) -> None:
    user = make_user(tenant)
    asked = browser.post("/dashboard/reset-password", {"email": user.email})
    given = {
        "email": hidden(asked, "email"),
        "code": mailed_code(),
        "new_password": NEW_PASSWORD,
    }

    answer = browser.post("/dashboard/reset-password/code", given, follow=True)

    assert answer.redirect_chain == [("/dashboard/sign-in", 302)]
    assert "Your password has been changed" in text_of(answer)
    assert sign_in(browser, user, NEW_PASSWORD).status_code == 302


def test_a_weak_new_password_is_told_at_its_field_and_the_code_stays_good(
    browser: Client, tenant: Tenant
) -> None:
    user = make_user(tenant)
    browser.post("/dashboard/reset-password", {"email": user.email})
    given = {"email": user.email, "code": mailed_code(), "new_password": "short"}

    weak = browser.post("/dashboard/reset-password/code", given)

    assert weak.status_code == 400
    assert problem_at(weak, "new_password").startswith("This password is too easy to guess.")
    assert f'value="{given["code"]}"' in text_of(weak)
    better = given | {"new_password": NEW_PASSWORD}
    assert browser.post("/dashboard/reset-password/code", better).status_code == 302


# --- An invitation --------------------------------------------------------------------------------


ACTIVATE = "/activate"


@pytest.fixture
def token(tenant: Tenant) -> str:
    """Of the link that bea@acme.es was mailed, where it stands behind the #."""
    return make_invitation(tenant, make_stranger("bea@acme.es"))


def both(password: str, **more: str) -> dict[str, str]:
    return {"password": password, "repeated": password, **more}


def test_an_invitation_ends_signed_in_in_its_workspace(
    browser: Client, tenant: Tenant, token: str
) -> None:
    answer = browser.post(ACTIVATE, both(NEW_PASSWORD, token=token))

    assert (answer.status_code, answer["Location"]) == (302, HOME)
    assert answer.cookies[COOKIE]["path"] == "/dashboard"
    assert tenant.name in text_of(browser.get(HOME))


def test_opening_the_link_uses_nothing_up(browser: Client, tenant: Tenant, token: str) -> None:
    """Scanners of mails open links."""
    for _ in range(3):
        assert browser.get(ACTIVATE).status_code == 200

    [invited] = Membership.objects.for_tenant(tenant)
    assert invited.activated_at is None
    assert browser.post(ACTIVATE, both(NEW_PASSWORD, token=token)).status_code == 302


@pytest.mark.parametrize(
    ("given", "field", "words"),
    [
        (both("short"), "password", "This password is too easy to guess."),
        ({"password": NEW_PASSWORD, "repeated": "other"}, "repeated", "The two passwords do not"),
        ({}, "password", "This field is required."),
    ],
)
def test_a_wrong_password_for_an_invitation_is_told_at_its_field_and_the_link_stays_good(
    browser: Client, token: str, given: dict[str, str], field: str, words: str
) -> None:
    answer = browser.post(ACTIVATE, given | {"token": token})

    assert answer.status_code == 400
    assert problem_at(answer, field).startswith(words)
    assert browser.post(ACTIVATE, both(NEW_PASSWORD, token=token)).status_code == 302


def test_a_used_link_and_one_of_nobody_are_answered_alike(browser: Client, token: str) -> None:
    browser.post(ACTIVATE, both(NEW_PASSWORD, token=token))
    browser.cookies.clear()

    used, forged = (
        browser.post(ACTIVATE, both(NEW_PASSWORD, token=given)) for given in (token, "forged")
    )

    assert used.status_code == forged.status_code == 400
    assert problem_above(used).startswith("That did not work.")
    assert problem_above(used) == problem_above(forged)


def test_a_form_without_its_token_says_so(browser: Client) -> None:
    answer = browser.post(ACTIVATE, both(NEW_PASSWORD))

    assert answer.status_code == 400
    assert problem_at(answer, "token").startswith("The link is incomplete.")


def test_the_whole_link_can_be_pasted_where_no_script_runs(browser: Client, token: str) -> None:
    assert '<label for="id_token">Link from the e-mail</label>' in text_of(browser.get(ACTIVATE))

    given = both(NEW_PASSWORD, token=f" https://kb.example/activate#token={token} ")
    assert browser.post(ACTIVATE, given)["Location"] == HOME


def test_links_of_before_work_and_no_form_leads_to_their_address(
    browser: Client, token: str
) -> None:
    page = text_of(browser.get(f"{ACTIVATE}?token={token}"))

    assert f'<form method="post" action="{ACTIVATE}"' in page
    assert f'name="token" value="{token}"' in page
    # A page that was open when this version began posts to its own address.
    assert browser.post(f"{ACTIVATE}?token={token}", both(NEW_PASSWORD))["Location"] == HOME


def test_an_invited_person_with_two_factor_joins_with_a_code(
    browser: Client, tenant: Tenant, other_tenant: Tenant
) -> None:
    user = make_user(other_tenant)
    secret, _ = switch_two_factor_on(user)
    token = make_invitation(tenant, user)

    asked = browser.post(ACTIVATE, both(PASSWORD, token=token))

    given = {
        "challenge": hidden(asked, "challenge"),
        "is_chosen": hidden(asked, "is_chosen"),
        "code": pyotp.TOTP(secret).now(),
    }
    assert browser.post("/dashboard/sign-in/second-factor", given)["Location"] == HOME
    assert Session.all_tenants.get().tenant == tenant


def test_the_page_of_an_invitation_tells_nobody_its_address(browser: Client, token: str) -> None:
    answer = browser.get(ACTIVATE)

    assert answer["Referrer-Policy"] == "same-origin"
    assert answer["Cache-Control"] == "no-store"
    assert "script-src 'self';" in answer["Content-Security-Policy"]


def test_a_forged_form_for_an_invitation_is_refused_with_a_page(token: str) -> None:
    browser = Client(enforce_csrf_checks=True)

    answer = browser.post(ACTIVATE, both(NEW_PASSWORD, token=token))

    assert (answer.status_code, answer["Content-Type"]) == (403, "text/html; charset=utf-8")


# --- Several workspaces ---------------------------------------------------------------------------


def test_who_is_in_several_chooses_and_goes_on_there(browser: Client, tenant: Tenant) -> None:
    user = make_user(tenant)
    make_membership(make_tenant("zeta", name="Zeta"), user, role=Role.VIEWER)
    signed_in = browser.post(
        "/dashboard/sign-in?next=/dashboard/account", {"email": user.email, "password": PASSWORD}
    )
    assert signed_in["Location"] == "/dashboard/workspaces?next=%2Fdashboard%2Faccount"
    assert "Zeta" in text_of(browser.get(signed_in["Location"]))

    answer = browser.post(signed_in["Location"], {"slug": "zeta"})

    assert answer["Location"] == "/dashboard/account"
    assert "Zeta" in text_of(browser.get(HOME))
    ended = Session.objects.for_tenant(tenant).get()
    assert ended.revoked_at is not None


def test_choosing_the_workspace_that_is_open_ends_nothing(tenant: Tenant) -> None:
    pages = pages_of(tenant)

    assert pages.post("/dashboard/workspaces", {"slug": tenant.slug})["Location"] == HOME
    assert Session.all_tenants.get().revoked_at is None


def test_a_workspace_of_others_is_not_there_and_nothing_has_ended(
    tenant: Tenant, other_tenant: Tenant
) -> None:
    pages = pages_of(tenant)

    for slug in (other_tenant.slug, "missing", ""):
        assert pages.post("/dashboard/workspaces", {"slug": slug}).status_code == 404
    assert pages.get(HOME).status_code == 200


def test_the_account_menu_lists_the_other_workspaces(tenant: Tenant, other_tenant: Tenant) -> None:
    user = make_user(tenant)
    for number in range(7):
        make_membership(make_tenant(f"more-{number}", name=f"More {number} <b>"), user)
    menu = "/dashboard/workspaces/menu"

    page = text_of(pages_of(tenant, user=user).get(menu))

    assert re.findall(r"Switch to ([^<]*)<", page) == [f"More {n} &lt;b&gt;" for n in range(6)]
    assert "All workspaces" in page
    assert "Switch to" not in text_of(pages_of(other_tenant).get(menu))


def test_who_is_in_one_workspace_is_not_asked(browser: Client, tenant: Tenant) -> None:
    assert sign_in(browser, make_user(tenant))["Location"] == HOME


# --- Hostile text ---------------------------------------------------------------------------------


def test_the_name_of_a_workspace_is_shown_and_does_nothing(tenant: Tenant) -> None:
    tenant.name = POISON
    tenant.save()
    pages = pages_of(tenant)

    for address in (HOME, "/dashboard/workspaces", "/dashboard/account"):
        page = text_of(pages.get(address))
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#x27;{{7*7}}" in page


def test_what_is_typed_is_shown_and_does_nothing(browser: Client) -> None:
    answer = browser.post("/dashboard/sign-up", wish(tenant_name=POISON, email=POISON))

    assert "<script>alert" not in text_of(answer)
    assert answer.status_code == 400


def test_a_name_that_somebody_else_wished_for_is_not_told(browser: Client) -> None:
    """A second wish for one address is answered as the first."""
    browser.post("/dashboard/sign-up", wish(tenant_name="Secret plans"))

    answer = browser.post("/dashboard/sign-up/again", {"email": "eva@nova.example"})

    assert "Secret plans" not in text_of(answer)
