"""What is read of an account: chosen in a tree, looked over, read; and accounts typed in."""

import html
import json
from typing import Any

import pytest
from django.test import Client

from accounts.models import Tenant
from config.jobs.places import take_place
from dashboard.tests.accounts import (  # noqa: F401 - a fixture among them
    DRIVE,
    SHOP,
    Shelves,
    make_account,
    shelves,
)
from sources.connections import open_credentials
from sources.connectors.registry import CONNECTORS
from sources.errors import ReauthRequired
from sources.models import Connection, Source, SyncStatus
from sources.services.connections import LOOKING
from sources.tests.conftest import inline_worker  # noqa: F401 - a fixture
from sources.tests.factories import make_source

HTMX = {"HX-Request": "true"}
HANDBOOK = {"id": "handbook", "name": "Handbook"}
RATES = {"id": "rates", "name": "Rates.pdf"}
TYPING = "/dashboard/sources/connect/account?kind=api"
TYPED = {"address": "https://shop.example", "key": "open sesame", "items": "new"}

pytestmark = pytest.mark.django_db


def text_of(answer: Any) -> str:
    return " ".join(html.unescape(answer.content.decode()).split())


def value(chosen: dict[str, str]) -> str:
    return json.dumps(chosen)


@pytest.fixture
def account(tenant: Tenant, shelves: Shelves) -> Connection:  # noqa: F811 - the fixture
    return make_account(tenant)


def at(row: Connection, action: str) -> str:
    return f"/dashboard/connections/{row.pk}/{action}"


# --- Choosing -------------------------------------------------------------------------------------


def test_the_top_of_the_account_is_shown_to_choose_from(pages: Client, account: Connection) -> None:
    page = text_of(pages.get(at(account, "choose")))

    assert f'value="{value(HANDBOOK)}"' in page
    assert "Shared drives" in page
    assert '"id": "shared"' not in page.split("<noscript>")[0]  # it can only be opened
    assert f'hx-get="{at(account, "choose")}?inside=handbook"' in page


def test_with_htmx_a_folder_is_opened_where_it_stands(pages: Client, account: Connection) -> None:
    answer = pages.get(at(account, "choose"), {"inside": "handbook"}, headers=HTMX)

    assert f'value="{value(RATES)}"' in text_of(answer)
    assert "1 MB" in text_of(answer)
    assert b"<html" not in answer.content


def test_without_script_what_was_chosen_goes_along(pages: Client, account: Connection) -> None:
    letters = {"id": "letters", "name": "Letters"}
    form = {"chosen": [value(letters)], "open": value(HANDBOOK)}

    inside = text_of(pages.post(at(account, "choose"), form))
    assert f'name="trail" value="{value(HANDBOOK)}"' in inside
    assert f'name="chosen" value="{value(letters)}" checked' in inside
    assert "Rates.pdf" in inside

    back = {"chosen": [value(letters)], "trail": [value(HANDBOOK)], "back_to": "0"}
    top = text_of(pages.post(at(account, "choose"), back))
    assert "Rates.pdf" not in top
    assert f'name="chosen" value="{value(letters)}" checked' in top


def test_what_was_chosen_is_looked_over_and_counted(pages: Client, account: Connection) -> None:
    form = {"chosen": [value(HANDBOOK), value(RATES)]}

    page = text_of(pages.post(at(account, "review"), form))
    assert 'value="Handbook, Rates.pdf"' in page
    assert f'hx-post="{at(account, "measure")}"' in page
    assert "Anyone who can ask an agent can see what it answers from" in page

    assert text_of(pages.post(at(account, "measure"), form)) == "1,200 documents, 3.0 MB."
    unknown = text_of(pages.post(at(account, "measure")))
    assert unknown == "We will know the size once it has been read."


def test_where_nothing_is_chosen_somebody_is_asked_to(
    pages: Client,
    account: Connection,
    shelves: Shelves,  # noqa: F811 - the fixture
) -> None:
    everything = text_of(pages.post(at(account, "review")))
    assert "Everything that the account can read" in everything

    shelves.needs_choice = True
    answer = pages.post(at(account, "review"))

    assert answer.status_code == 400
    assert "Choose what to read." in text_of(answer)
    assert f'value="{value(HANDBOOK)}"' in text_of(answer)


def test_what_was_chosen_becomes_a_source_and_is_read(
    pages: Client, tenant: Tenant, account: Connection
) -> None:
    form = {"chosen": [value(HANDBOOK)], "name": "Our handbook"}

    answer = pages.post(at(account, "read"), form)

    [source] = Source.objects.for_tenant(tenant)
    assert answer["Location"] == f"/dashboard/sources/{source.pk}"
    assert (source.name, source.source_type) == ("Our handbook", DRIVE)
    assert (source.connection, source.selection) == (account, {"chosen": [HANDBOOK]})
    assert source.sync_status == SyncStatus.SYNCING


def test_a_source_without_a_name_is_not_made(
    pages: Client, tenant: Tenant, account: Connection
) -> None:
    answer = pages.post(at(account, "read"), {"chosen": [value(HANDBOOK)], "name": " "})

    assert answer.status_code == 400
    assert 'id="id_name_error"' in text_of(answer)
    assert not Source.objects.for_tenant(tenant).exists()


def test_what_a_source_reads_is_changed(pages: Client, tenant: Tenant, account: Connection) -> None:
    selection = {"chosen": [HANDBOOK], "filters": {"a": 1}}
    source = make_source(
        tenant, source_type=DRIVE, connection=account, selection=selection, sync_cursor={"at": 7}
    )
    of_source = f"?source={source.pk}"

    page = text_of(pages.get(at(account, "choose") + of_source))
    assert f'value="{value(HANDBOOK)}" checked' in page
    answer = pages.post(at(account, "read") + of_source, {"chosen": [value(RATES)]})

    source.refresh_from_db()
    assert answer["Location"] == f"/dashboard/sources/{source.pk}"
    assert source.selection["chosen"] == [RATES]
    assert (source.sync_cursor, source.sync_status) == ({}, SyncStatus.SYNCING)


def test_a_source_that_is_being_read_reads_the_new_choice_the_next_time(
    pages: Client, tenant: Tenant, account: Connection
) -> None:
    source = make_source(tenant, source_type=DRIVE, connection=account)
    pages.post(f"/dashboard/sources/{source.pk}/sync")

    answer = pages.post(
        f"{at(account, 'read')}?source={source.pk}", {"chosen": [value(HANDBOOK)]}, follow=True
    )

    assert "The next sync will read what you chose." in text_of(answer)


@pytest.mark.parametrize("action", ["choose", "review", "measure", "read"])
@pytest.mark.parametrize(
    "given",
    ["", "7", "[]", "{}", '{"id": 7, "name": "x"}', '{"id": "a", "name": null}', "[" * 5000],
)
def test_what_no_checkbox_sends_is_refused(
    pages: Client, tenant: Tenant, account: Connection, action: str, given: str
) -> None:
    answer = pages.post(at(account, action), {"chosen": [given], "name": "x"})

    assert answer.status_code == 400
    assert not Source.objects.for_tenant(tenant).exists()


@pytest.mark.parametrize("action", ["choose", "review", "measure", "read"])
def test_of_another_source_nothing_is_changed(
    pages: Client, tenant: Tenant, other_tenant: Tenant, account: Connection, action: str
) -> None:
    elsewhere = make_source(tenant, source_type="web")
    theirs = make_source(other_tenant, source_type=DRIVE)
    for given in (elsewhere.pk, theirs.pk, "nonsense"):
        answer = pages.post(f"{at(account, action)}?source={given}", {"chosen": [value(RATES)]})
        assert answer.status_code == 404
    assert Source.objects.for_tenant(tenant).get().selection == {}


def test_an_account_that_cannot_be_looked_at_says_why(
    pages: Client,
    account: Connection,
    shelves: Shelves,  # noqa: F811 - the fixture
) -> None:
    shelves.problem = ReauthRequired("The account needs to be reconnected.")
    form = {"chosen": [value(HANDBOOK)]}
    for answer in (
        pages.get(at(account, "choose")),
        pages.get(at(account, "choose"), {"inside": "handbook"}, headers=HTMX),
        pages.post(at(account, "measure"), form, headers=HTMX),
    ):
        assert answer.status_code == 200
        assert "The account needs to be reconnected." in text_of(answer)


def test_names_of_folders_never_run(
    pages: Client, account: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    evil = {"id": "x", "name": '<script>alert(1)</script>"onload="'}

    for action in ("choose", "review"):
        answer = pages.post(at(account, action), {"chosen": [value(evil)], "trail": [value(evil)]})
        assert b"<script>alert" not in answer.content
        assert b'"onload="' not in answer.content


# --- Accounts that are typed in -------------------------------------------------------------------


@pytest.fixture
def shop(shelves: Shelves, inline_worker: None) -> None:  # noqa: F811 - the fixtures
    """A kind that is opened by a key."""


@pytest.mark.usefixtures("shop")
class TestTypingIn:
    def test_what_opens_is_looked_at_before_anything_is_kept(
        self, pages: Client, tenant: Tenant
    ) -> None:
        answer = pages.post(TYPING, TYPED, headers=HTMX)

        assert b"&lt;b&gt;Two.&lt;/b&gt;" in answer.content
        page = text_of(answer)
        assert "It can be read" in page
        assert "3 documents." in page
        assert "open sesame" not in page
        assert b"<html" not in answer.content
        assert not Connection.objects.for_tenant(tenant).exists()

    def test_what_does_not_open_stands_at_its_field(self, pages: Client, tenant: Tenant) -> None:
        wrong = TYPED | {"key": "open barley"}

        with_htmx = pages.post(TYPING, wrong, headers=HTMX)
        whole = pages.post(TYPING, wrong)

        assert (with_htmx.status_code, whole.status_code) == (400, 400)
        assert '<a href="#id_key">API key</a>: The key is refused.' in text_of(with_htmx)
        assert 'id="id_key_error"' in text_of(whole)
        assert "open barley" not in text_of(with_htmx) + text_of(whole)
        assert not Connection.objects.for_tenant(tenant).exists()

    def test_what_was_looked_at_becomes_a_source(self, pages: Client, tenant: Tenant) -> None:
        answer = pages.post(TYPING, TYPED | {"step": "add", "name": "Shop"})

        [source] = Source.objects.for_tenant(tenant)
        assert answer["Location"] == f"/dashboard/sources/{source.pk}"
        assert (source.name, source.source_type, source.selection) == (
            "Shop",
            SHOP,
            {"items": "new"},
        )
        assert source.connection is not None
        assert open_credentials(source.connection)["key"] == "open sesame"
        assert source.sync_status == SyncStatus.SYNCING

    def test_where_there_is_something_to_choose_that_comes_first(
        self, pages: Client, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(CONNECTORS[SHOP], "is_browsable", True, raising=False)

        answer = pages.post(TYPING, TYPED | {"step": "add", "name": "Shop"})

        [source] = Source.objects.for_tenant(tenant)
        assert answer["Location"].endswith(f"/choose?source={source.pk}")
        assert source.sync_status == SyncStatus.PENDING

    def test_an_account_is_typed_in_anew(self, pages: Client, tenant: Tenant) -> None:
        row = make_account(
            tenant, provider=SHOP, account_id="https://shop.example", state="reauth_required"
        )

        other = pages.post(
            at(row, "account"), TYPED | {"step": "add", "address": "https://other.example"}
        )
        assert "but ana@company.example was connected before." in text_of(other)
        answer = pages.post(at(row, "account"), TYPED | {"step": "add"})

        assert answer["Location"] == at(row, "").rstrip("/")
        row.refresh_from_db()
        assert row.state == "connected"

    def test_what_lacks_is_asked_for(self, pages: Client) -> None:
        answer = pages.post(TYPING, {"address": ""})

        assert answer.status_code == 400
        assert 'id="id_address_error"' in text_of(answer)
        assert 'id="id_key_error"' in text_of(answer)


# --- What nobody should send ----------------------------------------------------------------------


@pytest.mark.parametrize("action", ["choose", "review", "measure", "read"])
@pytest.mark.parametrize("id_", ["a\0", "\ud800", "a\nb"])
def test_an_id_that_is_no_text_is_refused(
    pages: Client, account: Connection, action: str, id_: str
) -> None:
    form = {"name": "A drive", "chosen": [value({"id": id_, "name": "Letters"})]}
    answer = pages.post(at(account, action), form)

    assert answer.status_code == 400
    assert not Source.objects.for_tenant(account.tenant).exists()


@pytest.mark.parametrize("action", ["choose", "review", "measure", "read"])
def test_a_name_that_is_no_text_is_cleaned(pages: Client, account: Connection, action: str) -> None:
    form = {"name": "A drive", "chosen": [value({"id": "letters", "name": "Let\ud800\0ters"})]}
    answer = pages.post(at(account, action), form)

    assert answer.status_code in (200, 302)
    if action == "read":
        [source] = Source.objects.for_tenant(account.tenant)
        assert source.selection == {"chosen": [{"id": "letters", "name": "Letters"}]}


@pytest.mark.parametrize("action", ["choose", "measure"])
def test_one_workspace_does_not_look_at_its_accounts_without_end(
    pages: Client, account: Connection, action: str
) -> None:
    """Each holds a thread of the web server while its provider does not answer."""
    held = [take_place(LOOKING, account.tenant_id) for _ in range(LOOKING.amount)]

    assert pages.post(at(account, action), {"chosen": [value(HANDBOOK)]}).status_code == 429

    for place in held:
        assert place is not None
        place.__exit__(None, None, None)
    assert pages.post(at(account, action), {"chosen": [value(HANDBOOK)]}).status_code == 200
