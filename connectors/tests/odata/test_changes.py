"""What is read again: by delta links, by dates, or all."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Tenant
from connectors.odata import changes
from connectors.tests.odata.account import (
    make_source,
    paths,
    sync,
    text_of,
    typed,
)
from connectors.tests.providers.odata_server import ODataServer
from reading.passages import Description, ReadDocument
from reasons import Reason
from sources.connectors.interface import Failed, Gone, Unchanged
from sources.models import Document, Source
from sources.syncing.runs import begin_run
from sources.syncing.sync import sync_source
from sources.tests.providers.server import Call, Reply, json_reply

pytestmark = pytest.mark.django_db


def test_nothing_changed_by_delta_link(erp: ODataServer, source: Source) -> None:
    _, run = sync(source)
    erp.calls.clear()
    told, _ = sync(source, run)
    assert paths(erp) == ["$metadata", "Items"]
    assert told == {f"Items({number})": Unchanged(f"Items({number})") for number in range(1, 6)}


@pytest.mark.parametrize("writes_as_401", [False, True])
def test_a_delta_tells_what_was_changed_added_and_removed(
    erp: ODataServer, source: Source, writes_as_401: bool
) -> None:
    erp.removes_as_401 = writes_as_401
    _, run = sync(source)
    erp.edit("Items", "(2)", unitPrice="1.20")
    erp.delete("Items", "(4)")
    erp.add("Items", ID=9, displayName="Bell", unitPrice="7", lastModifiedDateTime=None)
    told, run = sync(source, run)
    assert [each for each, item in told.items() if isinstance(item, ReadDocument)] == [
        "Items(2)",
        "Items(9)",
    ]
    assert "Unit price: 1.20" in text_of(told["Items(2)"])
    assert told["Items(4)"] == Gone("Items(4)")
    erp.calls.clear()
    assert {type(item) for item in sync(source, run)[0].values()} == {Unchanged}
    assert paths(erp) == ["$metadata", "Items"]


def test_business_central_names_what_is_gone_by_its_key_alone(
    erp: ODataServer, source: Source
) -> None:
    _, run = sync(source)
    erp.delete("Items", "(4)")

    def bare(call: Call, answer: Any) -> Reply:
        page = json.loads(answer(call).body)
        page["value"][0]["id"] = "4"
        return json_reply(page)

    erp.fail("GET .*/Items", bare)
    assert sync(source, run)[0]["Items(4)"] == Gone("Items(4)")


def test_a_delta_with_half_a_record_has_it_fetched(erp: ODataServer, source: Source) -> None:
    _, run = sync(source)
    erp.edit("Items", "(2)", unitPrice="1.20")

    def half(call: Call, answer: Any) -> Reply:
        page = json.loads(answer(call).body)
        del page["value"][0]["displayName"]
        return json_reply(page)

    erp.fail("GET .*/Items$", half)
    erp.calls.clear()
    told, _ = sync(source, run)
    assert "Name: Bicycle 2; Unit price: 1.20" in text_of(told["Items(2)"])
    assert paths(erp) == ["$metadata", "Items", "Items(2)"]


def test_an_expired_delta_link_has_everything_read(erp: ODataServer, source: Source) -> None:
    _, run = sync(source)
    erp.forget_links()
    erp.delete("Items", "(4)")
    erp.calls.clear()
    told, _ = sync(source, run)
    assert paths(erp) == ["$metadata", "Items", "Items"]
    assert sorted(told) == ["Items(1)", "Items(2)", "Items(3)", "Items(5)"]
    assert {type(item) for item in told.values()} == {Unchanged}


def test_without_delta_links_dates_tell_what_changed_and_a_count_that_nothing_is_gone(
    erp: ODataServer, source: Source
) -> None:
    erp.sets["Items"].tracks_changes = False
    _, run = sync(source)
    erp.edit("Items", "(2)", unitPrice="1.20", lastModifiedDateTime="2026-11-20T10:00:00Z")
    erp.add("Items", ID=9, displayName="Bell", lastModifiedDateTime="2026-11-20T10:00:00Z")
    erp.calls.clear()
    told, _ = sync(source, run)
    assert paths(erp) == ["$metadata", "Items", "Items/$count"]
    condition = erp.calls[1].query["$filter"]
    assert condition == "lastModifiedDateTime ge 2026-11-06T09:55:00Z"
    kinds = {each: type(item).__name__ for each, item in told.items()}
    assert kinds == {
        "Items(2)": "ReadDocument",
        "Items(5)": "Unchanged",  # read once more: within the overlap, with the same text
        "Items(9)": "ReadDocument",
        "Items(1)": "Unchanged",
        "Items(3)": "Unchanged",
        "Items(4)": "Unchanged",
    }


def test_without_delta_links_the_list_of_keys_tells_what_is_gone(
    erp: ODataServer, source: Source
) -> None:
    """And what came without a new date."""
    erp.sets["Items"].tracks_changes = False
    _, run = sync(source)
    erp.delete("Items", "(3)")
    erp.delete("Items", "(4)")
    erp.add("Items", ID=9, displayName="Bell", lastModifiedDateTime="2020-01-01T00:00:00Z")
    erp.calls.clear()
    told, _ = sync(source, run)
    assert paths(erp) == ["$metadata", "Items", "Items/$count", "Items", "Items(9)"]
    assert erp.calls[3].query == {"$orderby": "ID", "$select": "ID"}
    assert sorted(told) == ["Items(1)", "Items(2)", "Items(5)", "Items(9)"]


def test_with_neither_everything_is_read_and_compared(erp: ODataServer, tenant: Tenant) -> None:
    source = make_source(tenant, typed(erp), "Lines")
    erp.add("Lines", Order="A", Line=1, Text="Saddle")
    erp.add("Lines", Order="A", Line=2, Text="Bell")
    _, run = sync(source)
    erp.edit("Lines", "(Order='A',Line=2)", Text="Horn")
    told, _ = sync(source, run)
    assert isinstance(told["Lines(Order='A',Line=1)"], Unchanged)
    assert text_of(told["Lines(Order='A',Line=2)"]) == "Order: A; Line: 2; Text: Horn"


def test_a_change_of_what_was_not_chosen_tells_the_record_anew_and_reads_nothing(
    erp: ODataServer, tenant: Tenant
) -> None:
    source = make_source(tenant, typed(erp), "Items/displayName")
    _, run = sync(source)
    erp.edit("Items", "(2)", unitPrice="1.20", lastModifiedDateTime="2026-11-20T10:00:00Z")
    item = sync(source, run)[0]["Items(2)"]
    told = Description(
        "Bicycle 2",
        etag='W/"6"',
        last_modified="2026-11-20T10:00:00Z",
        place="Articles / Bicycle 2",
    )
    assert item == Unchanged("Items(2)", told)


def test_once_a_day_everything_is_read(
    erp: ODataServer, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stock that is computed when it is read changes without a word in the feed."""
    _, run = sync(source)
    erp.sets["Items"].rows["(3)"]["unitPrice"] = "9"
    assert {type(item) for item in sync(source, run)[0].values()} == {Unchanged}
    tomorrow = timezone.now() + timedelta(hours=24, seconds=1)
    monkeypatch.setattr(timezone, "now", lambda: tomorrow)
    assert isinstance(sync(source, run)[0]["Items(3)"], ReadDocument)


def test_what_failed_is_told_again_until_it_changes(erp: ODataServer, tenant: Tenant) -> None:
    source = make_source(tenant, typed(erp), "Items/displayName")
    erp.edit("Items", "(2)", displayName=None)
    told, run = sync(source)
    assert told["Items(2)"].reason == Reason("record_without_text")  # type: ignore[union-attr]
    told, run = sync(source, run)
    assert isinstance(told["Items(2)"], Failed)
    erp.edit("Items", "(2)", displayName="Trailer")
    assert text_of(sync(source, run)[0]["Items(2)"]) == "Name: Trailer"


def test_whole_syncs_store_what_changed_and_forget_what_is_gone(
    erp: ODataServer, source: Source
) -> None:
    source.name = "Shop"
    source.save()

    def whole_sync() -> dict[str, str]:
        run_id = begin_run(source.tenant, source.pk)
        assert run_id
        sync_source(source.tenant, source.pk, run_id=run_id)
        documents = Document.objects.for_tenant(source.tenant).filter(source=source).live()
        return dict(documents.values_list("external_id", "content_hash"))

    first = whole_sync()
    assert sorted(first) == [f"Items({number})" for number in range(1, 6)]
    erp.edit("Items", "(2)", unitPrice="1.20")
    erp.delete("Items", "(4)")
    second = whole_sync()
    changed = {each for each in first if second.get(each) != first[each]}
    assert changed == {"Items(2)", "Items(4)"}
    assert second.keys() == first.keys() - {"Items(4)"}


def test_too_many_changes_have_everything_read(
    erp: ODataServer, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, run = sync(source)
    monkeypatch.setattr(changes, "CHANGES_MAX", 1)
    for predicate in ("(1)", "(2)"):
        erp.edit("Items", predicate, unitPrice="3")
    told, _ = sync(source, run)
    assert len([each for each in told.values() if isinstance(each, ReadDocument)]) == 2
    assert len(told) == 5


def test_a_delta_of_many_halves_has_everything_read(
    erp: ODataServer, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, run = sync(source)
    monkeypatch.setattr(changes, "PARTIAL_MAX", 0)
    erp.edit("Items", "(2)", unitPrice="1.20")
    page = {"value": [{"ID": 2}], "@odata.deltaLink": f"{erp.root_url}/Items?$deltatoken=x"}
    erp.fail("GET .*/Items$", json_reply(page))
    erp.calls.clear()
    told, _ = sync(source, run)
    assert paths(erp) == ["$metadata", "Items", "Items"]
    assert isinstance(told["Items(2)"], ReadDocument)
