"""Every page and action × hostile input: in each parameter of its address, in each field of its
form, in its body and its headers. It answers with a page, or leads to one; never with a fault of
ours, never with JSON; and what was typed stays in the form.

What a page does not look at, whatever it is asked, can break nothing: it is sent once, not with
each value. What it looks at is noted as it answers (dashboard/tests/readings.py).
"""

import itertools
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from html import unescape
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
from django import forms
from django.db import transaction
from django.http import QueryDict
from django.test import Client, RequestFactory

from accounts.models import Tenant
from agents.tests.factories import make_agent
from dashboard.tests.accounts import Shelves, shelves  # noqa: F401 - a fixture
from dashboard.tests.factories import pages_of
from dashboard.tests.matrix import PageRow
from dashboard.tests.readings import OF_ALL, OF_ONE, readings
from dashboard.tests.test_isolation import ROWS, address
from query.tests.factories import make_conversation, make_lead, make_message
from sources.models import Source
from sources.tests.conftest import inline_worker  # noqa: F401 - a fixture
from sources.tests.factories import make_source

# All that any page reads of its address.
PARAMETERS = (
    "action", "agent", "before", "channel", "client_id", "code", "code_challenge",
    "code_challenge_method", "color", "error", "ids", "inside", "kind", "lang", "list", "next",
    "outcome", "page", "person", "position", "q", "redirect_uri", "resource", "response_type",
    "scope", "since", "source", "state", "status", "theme", "token", "until", "words", "workspace",
)  # fmt: skip
# Read of every page's address by one function, for all of them: the public ones are asked in full.
OF_THE_DOOR = {"lang"}
# Sent beside a row's valid form: what other forms have, or this one may leave out.
FIELDS = (
    "another", "assignee", "back_to", "beside", "chosen", "color", "confirmation", "file",
    "is_after", "is_chosen", "kinds", "lead_notification_email", "membership", "name", "note",
    "open", "persona", "session", "slug", "source_ids", "step", "takes_other", "tenant_slug",
    "trail", "welcome_msg",
)  # fmt: skip
NO_ID = "00000000-0000-0000-0000-000000000000"
PLACES = (
    "0", "-1", "9" * 30, "9" * 5000, "1e999", "٣", "0001-01-01", "9999-12-31", "2026-02-30",
    "0001-01-01T00:00:00+14:00~1", f"0001-01-01T00:00:00+14:00~{NO_ID}",
    f"9999-12-31T23:59:59-14:00~{NO_ID}", f"2026-01-01T00:00:00Z~{'9' * 30}",
    "2026-01-01T00:00:00Z~\0",
)  # fmt: skip
TEXTS = (
    "", "\0", "a\0b", "a\r\nb: c", "👩\u200d👩\u200d👧" * 50, "\u202egnp.exe\u2066",
    b"\xed\xa0\x80", "' OR 1=1 --", "a & | ! ( <-> :*", "(((a+)+)+)+$", "\\%_", "x" * 2000,
    "{{ 7 }}{% x %}<script>alert(1)</script>",
)  # fmt: skip
ADDRESSES = ("//evil.example", "/dashboard/\r\nSet-Cookie: a=b", "/dashboard/\\\0á", "../../etc")
LARGE = ("-1", "9" * 5000, "[" * 40_000, "x" * 60_000)
JSON = (
    "[]", "{}", "[NaN]", "[1e999]", '["\\u0000"]', '[{"source_file": "\\ud800\\u0000"}]',
    '[{"page_or_row": {"a": [1]}}]',
)  # fmt: skip
FEW, SPOILT_BY = 3, 6
FORM, PARTS = "application/x-www-form-urlencoded", "multipart/form-data"
BODIES = (
    (FORM, b"=&=&&;a=%"),
    (FORM, b"name=%00&name=%ED%A0%80"),
    (FORM, b"a=1&" * 200),
    (FORM, b"x" * 2_000_000),
    (f"{FORM}; charset=utf-7", b"name=+AAA-"),
    ("application/json", b'{"name": 1}'),
    ("", b"\0"),
    (PARTS, b"--"),
    (f"{PARTS}; boundary=\xff", b"--"),
    (f"{PARTS}; boundary=b", b"--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--"),
    (
        f"{PARTS}; boundary=b",
        b'--b\r\nContent-Disposition: form-data; name="file"; filename="\0/..\\a"'
        b"\r\n\r\n\0\r\n--b--",
    ),
    (
        f"{PARTS}; boundary=b",
        b'--b\r\nContent-Disposition: form-data; name="name"\r\n'
        b"Content-Transfer-Encoding: base64\r\n\r\n!\r\n--b--",
    ),
)
HEADERS = (
    {"hx-request": "true", "hx-target": "found", "hx-current-url": "http://[::1"},
    {"accept-language": "x" * 5000 + ",*;q=nan,es;q=1e999"},
    {"cookie": "dashboard=\xff.\xff.\xff; language=\xff; csrftoken=\xff; messages=a:b"},
    {"accept": "application/json", "x-requested-with": "XMLHttpRequest"},
)
METHODS = ("GET", "POST", "HEAD", "OPTIONS", "PUT", "NONSENSE")
FILES = ("text/csv", "application/zip", "text/event-stream", "application/vnd.oai.openapi")
# What people write, and see as they write it: nothing secret, nothing hidden.
TYPED = {
    "email", "tenant_name", "name", "source_url", "question", "answer", "text", "legal_name",
    "tax_id", "address", "postal_code", "city", "billing_email",
}  # fmt: skip
CONFIRMING = ("/leave", "/delete", "/disconnect")  # a name that confirms is typed anew
pytestmark = pytest.mark.slow(reaches=["dashboard"])  # thousands of requests
GETS = [row for row in ROWS if row.method == "GET"]
POSTS = [row for row in ROWS if row.method == "POST"]


@pytest.fixture(autouse=True)
def nothing_outside(
    inline_worker: None,  # noqa: F811 - the fixture
    shelves: Shelves,  # noqa: F811 - likewise
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No worker, no provider; and no limit is reached before all has been asked."""
    monkeypatch.setattr("config.security.rate_limits.ask", lambda question: 0)


@pytest.mark.parametrize("row", GETS, ids=str)
def test_no_address_breaks_a_page(row: PageRow, tenant: Tenant) -> None:
    """Each value at every second page."""
    pages, target = browser_of(row, tenant), row.target(tenant)

    for value in (*PLACES, *TEXTS, *ADDRESSES)[GETS.index(row) % 2 :: 2]:
        with undone(), readings() as read:
            answer = pages.get(address(row, target), dict.fromkeys(PARAMETERS, value))
            assert problem_with(answer) is None, value[:100]
        if not row.is_public and not read.of(answer.wsgi_request.GET) - OF_THE_DOOR:
            break


@pytest.mark.parametrize("row", POSTS, ids=str)
def test_no_form_breaks_a_page_and_what_was_typed_is_kept(row: PageRow, tenant: Tenant) -> None:
    pages, target = browser_of(row, tenant), row.target(tenant)
    valid = dict(row.form(tenant))
    kept = set() if row.route.endswith(CONFIRMING) else TYPED & valid.keys()

    seen: set[str] = set()
    for what, form in itertools.chain(spoilt_forms(valid), forms_with_others(valid)):
        with undone(), readings() as read:
            answer = pages.post(address(row, target), form)
            assert problem_with(answer) is None, what
            assert list_lost(answer, {name: form.get(name) for name in kept}) == [], what
        seen |= read.of(answer.wsgi_request.POST)
        if what.startswith("others") and not seen & ({*FIELDS} - valid.keys()):
            break


@pytest.mark.parametrize("row", POSTS, ids=str)
def test_no_address_breaks_what_a_form_does(row: PageRow, tenant: Tenant) -> None:
    """Done, refused, or asked for by htmx, in turns, and each value at every third action; where
    none of the three looks at the address, they are all."""
    pages, target = browser_of(row, tenant), row.target(tenant)
    valid = row.form(tenant)
    ways: list[Any] = [(valid, {}), ({}, {}), (valid, {"hx-request": "true"})]
    values = (*PLACES, *TEXTS, *ADDRESSES)[POSTS.index(row) % 3 :: 3]

    seen: set[str] = set()

    for turn, value in enumerate(values):
        form, headers = ways[turn % len(ways)]
        place = urlsplit(address(row, target))._replace(query="")
        asked = f"{place.geturl()}?{urlencode({**dict.fromkeys(PARAMETERS, value), **row.query()})}"
        with undone(), readings() as read:
            answer = pages.post(asked, form, headers=headers)
            assert problem_with(answer) is None, value[:100]
        seen |= read.of(answer.wsgi_request.GET)
        if turn + 1 >= len(ways) and not row.is_public and not seen - OF_THE_DOOR:
            break


@pytest.mark.parametrize("row", POSTS, ids=str)
def test_no_body_breaks_a_page(row: PageRow, tenant: Tenant) -> None:
    """Each at every third action: one function reads them for all, and the fields that some of
    them hold are spoilt above."""
    pages, target = browser_of(row, tenant), row.target(tenant)

    for content_type, body in BODIES[POSTS.index(row) % 3 :: 3]:
        with undone():
            answer = pages.post(address(row, target), body, content_type=content_type)
            assert problem_with(answer) is None, (content_type, body[:100])


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_no_header_and_no_method_breaks_a_page(row: PageRow, tenant: Tenant) -> None:
    """Each at every fourth page: all go through one door."""
    pages, target = browser_of(row, tenant), row.target(tenant)
    asked: list[tuple[str, dict[str, str]]] = [
        *((row.method, headers) for headers in HEADERS),
        *((method, {}) for method in METHODS),
    ]

    for method, headers in asked[ROWS.index(row) % 4 :: 4]:
        with undone():
            answer = pages.generic(method, address(row, target), headers=headers)
            assert problem_with(answer) is None, (method, headers)


@contextmanager
def undone() -> Iterator[None]:
    """What is done meanwhile, a query that fails too, is as if it had not been."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def browser_of(row: PageRow, tenant: Tenant) -> Client:
    return Client(raise_request_exception=False) if row.is_public else pages_of(tenant)


def spoilt_forms(valid: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The valid form with one field spoilt or left out. In forms of several fields each is spoilt
    by some values alone, in turns, and all of them by each."""
    turns = itertools.cycle((*TEXTS, *LARGE))
    for name in valid:
        yield f"no {name}", {other: value for other, value in valid.items() if other != name}
        own = (*TEXTS, *LARGE) if len(valid) <= FEW else itertools.islice(turns, SPOILT_BY)
        for value in (*own, *(JSON if name == "sources" else ())):
            yield f"{name}: {value[:100]!r}", {**valid, name: value}
    if len(valid) > FEW:
        for value in (*TEXTS, *LARGE):
            yield f"all: {value[:100]!r}", dict.fromkeys(valid, value)


def forms_with_others(valid: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The valid form with all other fields that there are."""
    for value in (*TEXTS, *LARGE):
        yield f"others: {value[:100]!r}", {**dict.fromkeys(FIELDS, value), **valid}


def problem_with(answer: Any) -> str | None:
    """None: it is a page, a file, or the way to another page."""
    kind = answer.get("Content-Type", "")
    is_answer = answer.status_code in (204, 302) or kind.startswith(("text/html", *FILES))
    if answer.status_code == 200 and not answer.streaming and not answer.content:
        is_answer = True  # to HEAD and OPTIONS
    return None if is_answer and answer.status_code < 500 else f"{answer.status_code} {kind}"


def list_lost(answer: Any, typed: Mapping[str, Any]) -> list[str]:
    """Of a form that was refused: the fields that are shown again without what was typed."""
    if answer.status_code != 400 or b"<form" not in answer.content:
        return []
    shown = unescape(answer.content.decode())
    return [
        name
        for name, text in typed.items()
        if isinstance(text, str) and len(text) < 5000 and text not in shown
    ]


# --- What a page looks at -------------------------------------------------------------------------


@pytest.mark.parametrize("way", [*OF_ONE, *OF_ALL])
def test_whatever_a_page_does_to_look_at_its_parameters_is_noted(way: str) -> None:
    """Else a value that could break it would not be sent."""
    with readings() as read:
        given, other = QueryDict("a=1&b=2"), QueryDict("a=1")
        assert read.of(given) == set()  # to parse is not to read
        with suppress(AttributeError, TypeError):  # it may not be changed, or wants more words
            getattr(given, way)(*["a"] * (way in OF_ONE))

    assert read.of(given) == ({"a"} if way in OF_ONE else {"a", "b"})
    assert read.of(other) == set()


def test_a_form_looks_at_its_fields_and_at_those_that_are_not_there() -> None:
    with readings() as read:
        given = QueryDict("name=&other=1")
        make_form(given).is_valid()

    assert read.of(given) == {"name", "chosen"}


def test_an_address_that_is_written_down_is_looked_at() -> None:
    request = RequestFactory().get("/dashboard/", {"q": "1", "page": "2"})
    with readings() as read:
        request.get_full_path()

    assert read.of(request.GET) == {"q", "page"}


def make_form(given: QueryDict) -> forms.Form:
    class OneForm(forms.Form):
        name = forms.CharField()
        chosen = forms.MultipleChoiceField()

    return OneForm(given)


# --- Ids of another tenant's, in the address's parameters and in forms ----------------------------


def test_no_filter_shows_what_is_another_tenants(
    pages: Client, tenant: Tenant, other_tenant: Tenant
) -> None:
    theirs = make_agent(other_tenant, name="Umbrella's")
    make_lead(theirs, name="Their lead")
    make_message(make_conversation(theirs), question="Their question")

    for page in ("leads", "conversations"):
        answer = pages.get(f"/dashboard/{page}", {"agent": str(theirs.pk)})

        assert answer.status_code == 400
        assert b"Umbrella" not in answer.content
        assert b"Their" not in answer.content


def test_no_state_is_told_of_another_tenants_source(pages: Client, other_tenant: Tenant) -> None:
    theirs = make_source(other_tenant, name="Theirs")

    answer = pages.get("/dashboard/sources/states", {"ids": str(theirs.pk), "list": ""})

    assert answer.status_code == 200
    assert str(theirs.pk).encode() not in answer.content


@pytest.mark.parametrize("place", ["theirs", "nobody's"])
def test_no_source_is_put_beside_another_tenants(
    pages: Client, tenant: Tenant, other_tenant: Tenant, place: str
) -> None:
    own, theirs = make_source(tenant), make_source(other_tenant)
    beside = theirs.pk if place == "theirs" else uuid.uuid4()
    before = dict(Source.all_tenants.values_list("pk", "position"))

    answer = pages.post(f"/dashboard/sources/{own.pk}/move", {"beside": str(beside)})

    assert answer.status_code == 404
    assert dict(Source.all_tenants.values_list("pk", "position")) == before


# --- What no page does ----------------------------------------------------------------------------


@pytest.mark.parametrize("row", POSTS, ids=str)
def test_no_form_of_another_site_is_taken(row: PageRow, tenant: Tenant) -> None:
    """Nor one that claims to be htmx, or another method."""
    target = row.target(tenant)

    for headers in (
        {},
        {"hx-request": "true", "origin": "https://evil.example"},
        {"x-http-method-override": "GET"},
    ):
        pages = browser_of(row, tenant)
        pages.handler.enforce_csrf_checks = True
        answer = pages.post(address(row, target), row.form(tenant), headers=headers)

        assert answer.status_code == 403
        assert answer["Content-Type"].startswith("text/html")


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_no_page_stands_in_a_frame_of_others_or_in_a_cache(row: PageRow, tenant: Tenant) -> None:
    """Nor what is shown in its place: to nobody, or of a wrong method."""
    target = row.target(tenant)
    may_frame = "'self'" if row.route.endswith("/preview") else "'none'"

    for pages in (pages_of(tenant), Client()):
        answer = pages.get(address(row, target))

        policy = answer["Content-Security-Policy"]
        assert policy.endswith((f"frame-ancestors {may_frame}", "frame-ancestors 'none'"))
        if row.route != "dashboard/docs":  # Swagger UI writes style attributes
            assert "unsafe" not in policy
        assert answer["Cache-Control"] == "no-store"
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["Cross-Origin-Opener-Policy"] == "same-origin"
        assert answer["Cross-Origin-Resource-Policy"] == "same-origin"
        assert "camera=()" in answer["Permissions-Policy"]
