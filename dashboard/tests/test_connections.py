"""Accounts elsewhere, which people sign in to: connecting, coming back, looking at one, its end."""

import html
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import ActivityEntry, Role, Tenant
from dashboard.tests.accounts import DRIVE, Shelves, make_account, shelves  # noqa: F401 - a fixture
from dashboard.tests.factories import pages_of
from sources.connectors.registry import CONNECTORS
from sources.errors import OriginUnavailable
from sources.models import Connection, ConnectionState, Source, SyncStatus
from sources.tests.factories import make_schedule, make_source
from sources.tests.providers.authorization import Person
from sources.tests.providers.plain_drive import PlainDrive

KINDS = "/dashboard/sources/connect"
SIGN_IN = f"{KINDS}/sign-in?kind={DRIVE}"
CALLBACK = "/dashboard/connections/callback"
ANA = Person("1001", "Ana Pérez", "ana@company.example")
BEN = Person("2002", "Ben Roy", "ben@company.example")

pytestmark = pytest.mark.django_db


def text_of(answer: Any) -> str:
    return " ".join(html.unescape(answer.content.decode()).split())


def at(row: Connection, action: str = "") -> str:
    return f"/dashboard/connections/{row.pk}" + (f"/{action}" if action else "")


@pytest.fixture
def provider(shelves: Shelves, settings: Any) -> Iterator[PlainDrive]:  # noqa: F811 - the fixture
    """That answers: Ana is signed in there."""
    with PlainDrive(settings.BASE_URL) as server:
        settings.FETCH_ALLOWED_HOSTS = [server.host]
        settings.GOOGLE_SIGN_IN_URL = settings.GOOGLE_TOKEN_URL = shelves.url = server.url
        server.authorization.signed_in = ANA
        yield server


def leave(pages: Client, address: str = SIGN_IN, **form: str) -> dict[str, str]:
    """What the browser takes along to the provider."""
    page = pages.post(address, form).content.decode()
    found = re.search(r'<meta http-equiv="refresh" content="0; url=([^"]+)">', page)
    assert found is not None, page
    return dict(parse_qsl(urlsplit(html.unescape(found[1])).query))


def come_back(pages: Client, provider: PlainDrive, asked: dict[str, str]) -> Any:
    """When "Allow" was pressed there."""
    code = provider.authorization.make_code(asked)
    return pages.get(CALLBACK, {"state": asked["state"], "code": code})


def connect(pages: Client, provider: PlainDrive) -> Connection:
    come_back(pages, provider, leave(pages))
    return Connection.all_tenants.get()


# --- Which there are ------------------------------------------------------------------------------


def test_kinds_are_listed_with_what_they_read_and_whether_they_can_be_connected(
    pages: Client,
    shelves: Shelves,  # noqa: F811
    settings: Any,
) -> None:
    page = text_of(pages.get(KINDS))
    assert "The folders that you choose." in page
    assert f'href="{SIGN_IN}"' in page
    assert 'href="/dashboard/sources/add/website"' in page
    assert 'href="/dashboard/sources/connect/account?kind=api"' in page

    settings.GOOGLE_CLIENT = ("", "")
    page = text_of(pages.get(KINDS))
    assert SIGN_IN not in page
    assert "Not available yet: this server has not been set up for it." in page


def test_accounts_stand_below_their_kind_with_state_and_sources(
    pages: Client,
    tenant: Tenant,
    other_tenant: Tenant,
    shelves: Shelves,  # noqa: F811
) -> None:
    mine = make_account(tenant, state="reauth_required")
    make_source(tenant, name="Handbook", source_type=DRIVE, connection=mine)
    make_account(other_tenant, account="theirs@other.example")

    page = text_of(pages.get(KINDS))

    assert "ana@company.example" in page
    assert "No access" in page
    assert "Handbook" in page
    assert "theirs@other.example" not in page


def test_twenty_accounts_cost_as_many_queries_as_two(
    pages: Client,
    tenant: Tenant,
    shelves: Shelves,  # noqa: F811
) -> None:
    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            pages.get(KINDS)
        return len(queries)

    for number in range(2):
        make_source(tenant, connection=make_account(tenant, account_id=str(number)))
    pages.get(KINDS)  # of a session's first request its visit is noted
    two = count()
    for number in range(2, 20):
        make_source(tenant, connection=make_account(tenant, account_id=str(number)))

    assert count() == two


# --- There and back -------------------------------------------------------------------------------


def test_before_they_go_people_read_what_we_do_and_who_will_see_it(
    pages: Client,
    shelves: Shelves,  # noqa: F811
) -> None:
    page = text_of(pages.get(SIGN_IN))

    assert "The folders that you choose." in page
    assert "We only read" in page
    assert "Permissions are not carried over." in page


def test_who_signs_in_comes_back_to_choose_what_is_read(
    pages: Client, tenant: Tenant, provider: PlainDrive
) -> None:
    answer = come_back(pages, provider, leave(pages))

    [row] = Connection.objects.for_tenant(tenant)
    assert (row.account, row.state) == ("ana@company.example", ConnectionState.CONNECTED)
    assert answer["Location"] == at(row, "choose")
    assert "ana@company.example is connected." in text_of(pages.get(answer["Location"]))


def test_a_right_that_is_refused_has_words_and_a_way_out(
    pages: Client, tenant: Tenant, provider: PlainDrive
) -> None:
    answer = pages.get(CALLBACK, {"state": leave(pages)["state"], "error": "access_denied"})

    assert "permission to read it was not given" in text_of(answer)
    assert f'href="{KINDS}"' in text_of(answer)
    assert not Connection.objects.for_tenant(tenant).exists()


@pytest.mark.parametrize("given", [{}, {"state": "x"}, {"state": "A" * 43, "code": "c"}])
def test_nobody_comes_back_who_was_not_sent(
    pages: Client, tenant: Tenant, provider: PlainDrive, given: dict[str, str]
) -> None:
    answer = pages.get(CALLBACK, given)

    assert "has expired or was used already" in text_of(answer)
    assert not Connection.objects.for_tenant(tenant).exists()


def test_what_one_session_was_sent_with_no_other_comes_back_with(
    pages: Client, tenant: Tenant, provider: PlainDrive
) -> None:
    asked = leave(pages)

    answer = come_back(pages_of(tenant), provider, asked)

    assert "has expired or was used already" in text_of(answer)
    assert not Connection.objects.for_tenant(tenant).exists()


def test_a_provider_that_fails_leaves_nothing_behind(
    pages: Client, tenant: Tenant, provider: PlainDrive
) -> None:
    asked = leave(pages)
    with provider.down():
        answer = pages.get(CALLBACK, {"state": asked["state"], "code": "a-code"})

    assert "did not confirm the sign-in" in text_of(answer)
    assert not Connection.objects.for_tenant(tenant).exists()


def test_what_a_provider_says_never_runs(pages: Client, provider: PlainDrive) -> None:
    evil = "<script>alert(1)</script>"
    given = {"state": leave(pages)["state"], "error": evil, "error_description": evil}

    assert "<script>alert" not in pages.get(CALLBACK, given).content.decode()


def test_a_kind_that_is_not_set_up_leads_nowhere(
    pages: Client,
    shelves: Shelves,  # noqa: F811
    settings: Any,
) -> None:
    settings.GOOGLE_CLIENT = ("", "")

    assert pages.post(SIGN_IN)["Location"] == KINDS


# --- Connected anew -------------------------------------------------------------------------------


def test_the_same_account_goes_on_where_it_stopped(
    pages: Client, tenant: Tenant, provider: PlainDrive
) -> None:
    row = connect(pages, provider)
    source = make_source(
        tenant, source_type=DRIVE, connection=row, sync_status=SyncStatus.REAUTH_REQUIRED
    )

    answer = come_back(pages, provider, leave(pages, at(row, "sign-in")))

    assert answer["Location"] == at(row)
    source.refresh_from_db()
    assert source.sync_status == SyncStatus.SYNCING


def test_another_account_takes_its_place_only_when_asked_to(
    pages: Client, tenant: Tenant, provider: PlainDrive
) -> None:
    row = connect(pages, provider)
    provider.authorization.signed_in = BEN

    answer = come_back(pages, provider, leave(pages, at(row, "sign-in")))
    page = text_of(answer)
    assert (
        "You signed in as ben@company.example, but ana@company.example was connected before."
        in page
    )
    assert "Connect this account instead" in page
    assert Connection.objects.for_tenant(tenant).get().account == "ana@company.example"

    come_back(pages, provider, leave(pages, at(row, "sign-in"), takes_other="yes"))
    assert Connection.objects.for_tenant(tenant).get().account == "ben@company.example"


# --- One, and its end -----------------------------------------------------------------------------


def test_the_page_of_an_account_says_how_it_is_and_what_is_read_from_it(
    pages: Client,
    tenant: Tenant,
    shelves: Shelves,  # noqa: F811
) -> None:
    row = make_account(tenant, state="reauth_required", reason="<b>It was ended there.</b>")
    source = make_source(tenant, name="Handbook", source_type=DRIVE, connection=row)

    answer = pages.get(at(row))

    assert b"<b>It was ended" not in answer.content
    page = text_of(answer)
    assert "It was ended there." in page
    assert f"/dashboard/sources/{source.pk}" in page
    assert "Connect it again" in page
    assert "Add another source from this account" not in page
    assert "until you delete its sources" in page


def test_disconnecting_takes_the_right_back_there_and_keeps_what_was_read(
    pages: Client, tenant: Tenant, provider: PlainDrive
) -> None:
    row = connect(pages, provider)
    source = make_source(tenant, source_type=DRIVE, connection=row, chunks_count=3)

    answer = pages.post(at(row, "disconnect"))

    assert "ana@company.example is disconnected." in text_of(pages.get(answer["Location"]))
    assert provider.authorization.grants[0].is_revoked
    source.refresh_from_db()
    assert (source.sync_status, source.chunks_count) == (SyncStatus.REAUTH_REQUIRED, 3)
    assert "Disconnected" in text_of(pages.get(at(row)))


def test_what_was_done_is_told_in_words(
    pages: Client, tenant: Tenant, provider: PlainDrive
) -> None:
    row = connect(pages, provider)
    come_back(pages, provider, leave(pages, at(row, "sign-in")))
    pages.post(at(row, "disconnect"))

    page = text_of(pages.get("/dashboard/activity"))

    for words in ("Account connected", "Account connected again", "Account disconnected"):
        assert words in page
    assert ActivityEntry.objects.for_tenant(tenant).count() == 3


# --- Its sources ----------------------------------------------------------------------------------


def source_page(pages: Client, source: Source) -> str:
    return text_of(pages.get(f"/dashboard/sources/{source.pk}"))


def test_a_source_without_access_says_why_and_is_connected_again(
    pages: Client,
    tenant: Tenant,
    shelves: Shelves,  # noqa: F811
) -> None:
    row = make_account(tenant, state="reauth_required")
    source = make_source(
        tenant,
        source_type=DRIVE,
        connection=row,
        selection={"chosen": [{"id": "handbook", "name": "Handbook"}]},
        sync_status=SyncStatus.REAUTH_REQUIRED,
        error_message="It was ended there.",
    )

    page = source_page(pages, source)
    assert "It was ended there." in page
    assert f'action="{at(row, "sign-in")}"' in page
    assert f'href="{at(row, "choose")}?source={source.pk}"' in page
    assert "Handbook" in page

    page = source_page(pages_of(tenant, role=Role.MEMBER), source)
    assert "ana@company.example" in page
    assert at(row) not in page


def test_a_source_that_failed_says_when_it_is_tried_again(pages: Client, tenant: Tenant) -> None:
    source = make_source(tenant, source_type="web", sync_status=SyncStatus.ERROR)
    assert "It is tried again" not in source_page(pages, source)

    make_schedule(source)

    assert "Next automatic try:" in source_page(pages, source)


def test_every_kind_that_is_signed_in_to_is_reached(pages: Client) -> None:
    """Those that are built; a test of ours is not in the way."""
    for kind, connector in CONNECTORS.items():
        if connector.provider is None:
            continue
        answer = pages.get(f"{KINDS}/sign-in?{urlencode({'kind': kind})}")
        assert answer.status_code == (200 if connector.is_set_up else 302)


def test_an_account_that_does_not_answer_is_no_page_of_ours(
    pages: Client,
    tenant: Tenant,
    shelves: Shelves,  # noqa: F811
) -> None:
    shelves.problem = OriginUnavailable("It does not answer.")

    answer = pages.get(at(make_account(tenant), "choose"))

    assert answer.status_code == 200
    assert "It does not answer." in text_of(answer)
