"""The sentence that tells what was computed, in the question's language, values as the table writes
them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from language.words import Language, fold
from query.answering.cleaning import make_harmless
from query.answering.rows import Cell, write_row
from query.answering.tables.asking import TableQuestion, Want
from query.answering.tables.cells import (
    HAS_UNIT,
    header_text,
    label_of,
    tell_value,
    write_day,
    write_decimals,
)
from query.answering.tables.computing import Computed
from query.answering.tables.table import Column, Table
from query.answering.tables.vocabulary import (
    BRAND_HEADERS,
    DIMENSIONS,
    MODEL_HEADERS,
    PLAIN_PRICE,
    TELLING,
)

NAMED_MAX = 3  # that share a place
LISTED_MAX = 8  # of those that are counted
BESIDE_MAX = 2  # columns that tell rows of one name apart
ARTICLES = {"lo": "Lo", "el": "El", "la": "La", "un": "El", "una": "La", "los": "El", "las": "La"}
PLURALS = {"Lo": "Los", "El": "Los", "La": "Las"}


def tell(computed: Computed) -> str:
    question, language = computed.question, computed.question.asked.language
    texts = TELLING[language]
    names = [row_name(computed, row) for row in computed.rows]
    names = list(dict.fromkeys(names))
    match question.want:
        case Want.COUNT:
            return tell_count(computed, names, language)
        case Want.LIST if computed.evidence.is_dated and len(computed.rows) == 1:
            return tell_whole(computed)
        case Want.LIST:
            return tell_count(computed, with_values(computed, names), language)
        case Want.FITS:
            key = "fits_one" if len(names) == 1 else "fits_many"
            joined = join(with_values(computed, names), language)
            return make_harmless(texts[key].format(names=joined, count=len(names)))
    column = computed.column
    if column is None:
        raise ValueError("a value without its column")
    value = told_value(column, computed.rows[0], language)
    if question.want is Want.VALUE:
        has_sign = any(sign in value for sign in "€£$")
        label = label_of(column.header)
        if (has_sign and is_plain_price(column)) or label.lower() in value.lower():
            label = ""
        name = f"{names[0]}, {label}" if label else names[0]
        return make_harmless(" ".join([f"{name}: {value}.", *remarks(computed)]))
    several = "many" if len(names) > 1 else "one"
    joined = join(names, language)
    if adjective := adjective_of(question, language, several=len(names) > 1):
        return make_harmless(
            texts[f"extreme_{several}"].format(which=adjective, names=joined, value=value)
        )
    side = "largest" if question.is_largest else "smallest"
    return make_harmless(
        texts[f"{side}_{several}"].format(
            header=header_text(column.header), names=joined, value=value
        )
    )


def tell_whole(computed: Computed) -> str:
    """The one row of a date, whole: who asks what there is on a day wants to know it all."""
    table, asked, row = computed.table, computed.question.asked, computed.rows[0]
    told = [
        Cell(column.header, told_value(column, row, asked.language))
        for column in computed.told
        if column.texts[row] and column is not table.name_column and not column.is_code
    ]
    name = Cell("", row_name(computed, row))
    return make_harmless(write_row([name], told, table.language, asked.language))


def with_values(computed: Computed, names: Sequence[str]) -> list[str]:
    """«Roble (8 personas)», «Roble (aforo: 8)»: with what was compared, where that was a column."""
    column = computed.column
    if column is None or len(names) != len(computed.rows) or len(names) > LISTED_MAX:
        return list(names)
    language = computed.question.asked.language
    told = [
        "" if name == column.texts[row] else told_value(column, row, language)
        for row, name in zip(computed.rows, names, strict=True)
    ]
    values = [
        value if not value or HAS_UNIT.search(value) else f"{label_of(column.header)}: {value}"
        for value in told
    ]
    return [beside(name, value) for name, value in zip(names, values, strict=True)]


def beside(name: str, value: str) -> str:
    """The name with the value behind it in brackets, in one pair of them."""
    if not value:
        return name
    return f"{name[:-1]}, {value})" if name.endswith(")") else f"{name} ({value})"


def remarks(computed: Computed) -> list[str]:
    """The remarks in the row whose value is told: they may hold the condition."""
    row = computed.rows[0]
    told = {column.header for column in computed.told} - {
        computed.column and computed.column.header
    }
    cells = [c for c in computed.table.rows[row].cells if c.header in told and c.is_remark]
    name = computed.table.name_column
    cells = [c for c in cells if name is None or c.header != name.header]
    return [f"{str(cell).rstrip('. ')}." for cell in cells]


def tell_count(computed: Computed, names: Sequence[str], language: Language) -> str:
    count = len(computed.rows)
    texts = TELLING[language]
    if len(names) != count or count > LISTED_MAX:
        return texts["count"].format(count=count)
    key = "count_one" if count == 1 else "count_many"
    return make_harmless(texts[key].format(count=count, names=join(names, language)))


def ask_which(tables: Sequence[Table], language: Language) -> str:
    quotation = "«{}»" if language == "es" else "“{}”"
    names = [quotation.format(make_harmless(name_in_full(table, tables))) for table in tables]
    return TELLING[language]["which"].format(names=join(names, language, "or"))


def name_in_full(table: Table, tables: Sequence[Table]) -> str:
    """The table's name, with its document where other tables have the same name."""
    same = [other for other in tables if other.name == table.name]
    return table.name if len(same) == 1 else f"{table.document}, {table.name}"


def row_name(computed: Computed, row: int) -> str:
    """The row's name, with what tells it from others of its name."""
    table = computed.table
    column = table.name_column
    name = column.texts[row] if column else ""
    if column and column.words & MODEL_HEADERS:
        brand = next((c.texts[row] for c in computed.told if c.words & BRAND_HEADERS), "")
        name = f"{brand} {name}".strip()
    if column is None or not name:
        told = {"", *(one.header for one in computed.told)}
        return next((cell.value for cell in table.rows[row].cells if cell.header in told), "")
    own = column.texts[row]
    same = [index for index, text in enumerate(column.texts) if text == own]
    if len(same) == 1:
        return name
    beside: list[str] = []
    for other in computed.told:
        if other in (column, computed.column) or not other.texts[row]:
            continue
        values = {other.texts[index] for index in same}
        is_short = len(other.texts[row]) <= 40
        if len(values) > 1 and is_short and (not other.is_numeric or other.is_code or not beside):
            beside.append(told_value(other, row, computed.question.asked.language))
            same = [index for index in same if other.texts[index] == other.texts[row]]
        if len(same) == 1 or len(beside) == BESIDE_MAX:
            break
    return f"{name} ({', '.join(beside)})" if beside else name


def told_value(column: Column, row: int, language: Language) -> str:
    day = column.days_told[row]
    if day is not None:
        return write_day(day, language)
    told = tell_value(column.header, column.texts[row], column.language, language).rstrip(". ")
    is_money = bool(column.words & DIMENSIONS["money"].headers)
    return write_decimals(told, language) if is_money else told


def is_plain_price(column: Column) -> bool:
    """Tells whether the header only says "price", as «Precio» or «PVP con IVA (€)» do: it need not
    be named."""
    return column.words <= PLAIN_PRICE


def adjective_of(question: TableQuestion, language: Language, *, several: bool) -> str:
    """The superlative with its article, "The cheapest", «La más barata», in the gender that the
    question has; "" when a column's name is told instead."""
    if not question.told:
        return ""
    if language == "en":
        return f"The {question.told}"
    article = article_of(question)
    adjective = question.told
    ending = {"El": "o", "Lo": "o", "La": "a"}[article]
    article = PLURALS[article] if several else article
    adjective = adjective.replace("@", ending) + ("s" if several else "")
    adjective = re.sub(r"([lnrz])s$", r"\1es", adjective) if several else adjective
    return f"{article} más {adjective}"


def article_of(question: TableQuestion) -> str:
    phrase = fold(question.phrase).split()[-1]
    before = question.before.split()
    if "lo" in before[-1:]:
        return "Lo"
    if phrase.endswith(("a", "as")) and question.phrase.startswith("mas "):
        return "La"
    found = next((word for word in reversed(before) if word in ARTICLES), "lo")
    if phrase.endswith(("o", "os")) and question.phrase.startswith("mas "):
        return "Lo" if found == "lo" else "El"
    return ARTICLES[found]


def join(names: Sequence[str], language: Language, key: str = "and") -> str:
    """Joins names as «A, B y C»; «e» and «u» stand before their own sound."""
    if len(names) == 1:
        return names[0]
    word = TELLING[language][key]
    if language == "es":
        begin = fold(names[-1]).strip(" «\"'")
        if word == "y" and re.match(r"h?i(?![aeou])", begin):
            word = "e"
        elif word == "o" and re.match(r"h?o", begin):
            word = "u"
    return f"{', '.join(names[:-1])} {word} {names[-1]}"
