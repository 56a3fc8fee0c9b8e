"""The properties of a page as lines of text (developers.notion.com/reference/page-property-values,
read 2026-11-22)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from connectors.notion.shapes import line, mapping, rich_text, sequence, string

TITLE = "title"
DATE_CHARS = len("2026-11-22T09:30")


def title_of(properties: Mapping[str, object]) -> str:
    """The title of a page, under any name that its people gave the property; "" if it has none."""
    values = map(mapping, properties.values())
    return next((line_of(value, {}) for value in values if value.get("type") == TITLE), "")


def property_lines(properties: Mapping[str, object], titles: Mapping[str, str]) -> str:
    """ "Model: Xaloc", a line for each property that has a value: the title first, the others by
    their names. "" for a page that has nothing but a title.

    Args:
        titles: of pages by their ids, for relations. Pages that are not in it were not shared.
    """
    if len(properties) < 2:
        return ""
    named = sorted(properties.items(), key=lambda item: (not is_title(item[1]), item[0].casefold()))
    lines = ((line(name), line_of(mapping(value), titles)) for name, value in named)
    return "\n".join(f"{name}: {text}" for name, text in lines if name and text)


def is_title(value: object) -> bool:
    return mapping(value).get("type") == TITLE


def attached_files(properties: Mapping[str, object]) -> int:
    """How many files stand in properties."""
    return sum(len(sequence(mapping(value).get("files"))) for value in properties.values())


def line_of(value: Mapping[str, object], titles: Mapping[str, str]) -> str:
    """The value of a property in one line; "" if it is empty, or of a type without text (a
    button)."""
    kind = string(value.get("type"))
    content = value.get(kind)
    match kind:
        case "rollup":
            return rollup_line(mapping(content), titles)
        case "relation":
            related = (mapping(item).get("id") for item in sequence(content))
            return joined(titles.get(string(page_id), "") for page_id in related)
        case "formula":
            formula = mapping(content)
            return plain_line(string(formula.get("type")), formula)
    return plain_line(kind, value)


def rollup_line(rollup: Mapping[str, object], titles: Mapping[str, str]) -> str:
    """A rollup never holds another one: what Notion would not send is left out."""
    values = [mapping(item) for item in sequence(rollup.get("array"))]
    if values:
        return joined(line_of(each, titles) for each in values if each.get("type") != "rollup")
    return plain_line(string(rollup.get("type")), rollup)


def plain_line(kind: str, value: Mapping[str, object]) -> str:
    """`value` holds its content under the name of its kind."""
    content = value.get(kind)
    match kind:
        case "title" | "rich_text":
            return " ".join(rich_text(content).split())
        case "number":
            return number_line(content)
        case "checkbox" | "boolean":
            return "yes" if content is True else "no" if content is False else ""
        case "select" | "status" | "created_by" | "last_edited_by":
            return line(mapping(content).get("name"))
        case "multi_select" | "people" | "files":
            return joined(line(mapping(item).get("name")) for item in sequence(content))
        case "date":
            ends = (moment_line(mapping(content).get(name)) for name in ("start", "end"))
            return " – ".join(filter(None, ends))
        case "unique_id":
            number = number_line(mapping(content).get("number"))
            return "-".join(filter(None, (line(mapping(content).get("prefix")), number)))
        case "verification":
            return line(mapping(content).get("state"))
        case "place":
            place = mapping(content)
            return joined((line(place.get("name")), line(place.get("address"))))
        case "created_time" | "last_edited_time":
            return moment_line(content)
    return line(content)  # url, email, phone_number, the text of a formula


def number_line(value: object) -> str:
    """The number as people write it: "899" for 899.0."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def moment_line(value: object) -> str:
    """A day, or a day and its time to the minute."""
    return line(value)[:DATE_CHARS].replace("T", " ")


def joined(lines: Iterable[str]) -> str:
    return ", ".join(filter(None, lines))
