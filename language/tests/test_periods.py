"""Times of the year, as people ask for them and price lists write them."""

import pytest

from language.periods import holds_period, read_periods


def fits(asked, offered):
    (one,) = read_periods(asked)
    verdicts = {holds_period(one, other) for other in read_periods(offered)}
    return True if True in verdicts else False if False in verdicts else None


@pytest.mark.parametrize(
    ("asked", "offered", "verdict"),
    [
        ("en agosto", "Alta (15 jul - 31 ago)", True),
        ("en agosto", "Baja (1 oct - 30 abr)", False),
        ("en diciembre", "del 1 de noviembre al 31 de marzo", True),
        ("en febrero", "del 1 de noviembre al 31 de marzo", True),
        ("en julio", "del 1 de noviembre al 31 de marzo", False),
        ("in may", "April to June", True),
        ("in December", "April to June", False),
        ("on 3 may", "1 April - 30 June", True),
        ("on May 3rd", "1 April - 30 June", True),
        ("el 20 de julio", "20 julio - 31 agosto", True),
        ("el 19 de julio", "20 julio - 31 agosto", False),
        ("para el 10 de agosto", "1-15 August", True),
        ("para el 20 de agosto", "del 1 al 15 de agosto", False),
        ("on 20 August", "August 1-15", False),
        ("in July", "Desde: 01/07/2026; Hasta: 31/08/2026", True),
        ("in january", "From: 2026-11-01; To: 2027-03-31", True),
        ("in june", "From: 2026-11-01; To: 2027-03-31", False),
        ("in october", "Open March–September", False),
        ("in april", "between March and May (weekends)", True),
        ("in april", "closed in January and February", False),
        ("en enero", "cerrado en enero y febrero", True),
        ("en enero", "abierto todo el año", True),
        ("in winter", "1 November to 31 March", True),
        ("in summer", "1 November to 31 March", False),
        ("en verano", "julio y agosto", True),
        ("in july", "The summer timetable is longer.", True),
        ("en julio", "del 15 de julio al 31 de agosto", None),
        ("in march", "mar-jun: 40", True),
        ("en mayo", "cerrado el 15 de agosto", None),
        ("en mayo", "1 enero (2026) a 31 de diciembre de 2026", True),
        ("en mayo", "desde el 1 de julio", None),
        ("en mayo", "revisado en enero de 2026", None),
    ],
)
def test_a_month_or_a_day_lies_in_a_range_or_it_does_not(asked, offered, verdict):
    assert fits(asked, offered) is verdict


@pytest.mark.parametrize(
    "text",
    [
        "may I bring a dog?",
        "Children under 12 may swim free.",
        "Only 3 may share a hut.",
        "The walkers march along the beach.",
        "a orillas del mar, 3 days ago",
        "fundada en mayo de 1954",
        "open 24/7, half price 1/2",
        "llámanos al 600 111 222",
        "menos de 8 días",
    ],
)
def test_other_words_are_no_time_of_the_year(text):
    assert read_periods(text) == ()


def test_a_long_text_is_read_in_a_moment():
    assert len(read_periods("1 may - 3 may, " * 20_000)) <= 40
