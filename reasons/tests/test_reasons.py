"""A reason is a value: it compares, it goes through JSON, and it is written out once."""

import json

import pytest

from reasons import InvalidReason, Reason, as_reason, join_reasons

DAMAGED = Reason("pages_damaged", places=Reason("places_page", numbers="3, 5–7"))


def test_reasons_with_the_same_values_are_equal() -> None:
    assert Reason("page_too_short", limit=200) == Reason("page_too_short", limit=200)
    assert Reason("page_too_short", limit=200) != Reason("page_too_short", limit=300)
    assert len({DAMAGED, Reason("file_empty"), Reason("file_empty")}) == 2


def test_a_reason_does_not_change() -> None:
    with pytest.raises(AttributeError):
        DAMAGED.code = "file_empty"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("code", "values"),
    [
        ("no_such_code", {}),
        ("page_too_short", {}),
        ("page_too_short", {"limit": 200, "more": 1}),
        ("file_empty", {"limit": 200}),
    ],
)
def test_code_and_values_have_to_fit_the_catalogue(code: str, values: dict[str, int]) -> None:
    with pytest.raises(InvalidReason):
        Reason(code, **values)


def test_its_text_is_plain_english_with_its_values() -> None:
    assert str(Reason("website_redirects_nowhere")) == (
        "The website redirects to an invalid address."
    )
    assert str(DAMAGED) == (
        "Page 3, 5–7: not read because of damage. Export the PDF again and upload the new file."
    )


def test_an_amount_is_written_with_its_thousands_apart_and_a_name_as_it_is() -> None:
    assert str(Reason("too_many_files_inside", limit=1200)).startswith(
        "It was not read: only 1,200 files"
    )
    assert str(Reason("port_not_read", port="8080")) == "Websites on port 8080 are not read."


def test_several_reasons_are_said_one_after_the_other_and_have_the_code_of_the_first() -> None:
    both = join_reasons(Reason("file_empty"), Reason("old_version_answers"))

    assert str(both) == "This file is empty. The previous version keeps answering."
    assert both.main_code == "file_empty"
    assert join_reasons(Reason("file_empty")) == Reason("file_empty")


def test_with_its_document_a_reason_keeps_its_code() -> None:
    told = Reason("of_document", name="a.pdf", reason=join_reasons(DAMAGED, Reason("protected")))

    assert str(told).startswith("a.pdf: Page 3, 5–7: ")
    assert told.main_code == "pages_damaged"


def test_a_text_without_a_code_is_a_reason_too() -> None:
    assert as_reason("100% of it %(count)s.") == Reason("text", text="100% of it %(count)s.")
    assert str(as_reason("100% of it %(count)s.")) == "100% of it %(count)s."
    assert as_reason(DAMAGED) is DAMAGED


@pytest.mark.parametrize(
    "reason",
    [
        DAMAGED,
        Reason("file_empty"),
        Reason("too_many_files_inside", limit=500),
        join_reasons(DAMAGED, Reason("file_empty")),
        Reason("of_document", name="a: b", reason=DAMAGED),
    ],
)
def test_json_gives_the_same_reason_back(reason: Reason) -> None:
    assert Reason.from_json(json.loads(json.dumps(reason.to_json()))) == reason


def nested(depth: int) -> object:
    inner: object = {"code": "file_empty", "values": {}}
    for _ in range(depth):
        inner = {"code": "try_later", "values": {"reason": inner}}
    return inner


@pytest.mark.parametrize(
    "given",
    [
        None,
        "file_empty",
        [],
        {},
        {"code": "file_empty"},
        {"code": "no_such_code", "values": {}},
        {"code": "file_empty", "values": {"limit": 1}},
        {"code": "file_empty", "values": {}, "more": 1},
        {"code": ["file_empty"], "values": {}},
        {"code": "text", "values": {"text": None}},
        {"code": "text", "values": {"text": True}},
        {"code": "several", "values": {"reasons": ["file_empty"]}},
        {"code": "several", "values": {"reasons": [nested(0)] * 101}},
        nested(50),
    ],
)
def test_anything_else_is_not_a_reason(given: object) -> None:
    """The confined process sends JSON, and may have been taken over."""
    with pytest.raises(InvalidReason):
        Reason.from_json(given)


def test_texts_within_a_reason_can_be_changed() -> None:
    reason = Reason("of_document", name="A", reason=join_reasons(as_reason("b"), DAMAGED))

    changed = reason.change_texts(str.upper)

    assert str(changed) == (
        "A: B Page 3, 5–7: not read because of damage. Export the PDF again and upload the new"
        " file."
    )
    assert str(reason).startswith("A: b")
