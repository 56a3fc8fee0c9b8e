"""A message's way through the code is counted by its stops."""

from bench.walk import Follower, Walk, numbered

STOPS = (
    "query/pipeline.py",
    "query/leads/turns.py",
    "query/leads/turns.py",
    "language/words.py",
    "language/terms.py",
    "query/leads/turns.py",
    "language/words.py",
    "query/pipeline.py",
)


def test_a_stay_is_a_run_of_stops_in_one_room() -> None:
    figures = Walk(STOPS).figures

    assert (figures["rooms"], figures["stays"], figures["returns"]) == (4, 7, 3)


def test_a_climb_leads_to_a_higher_layer() -> None:
    assert Walk(STOPS).figures["climbs"] == 2


def test_an_entry_into_language_comes_from_outside_of_it() -> None:
    assert Walk(STOPS).language_entries == {"language/words.py": 2}


def test_folders_are_rooms_too() -> None:
    assert Walk(STOPS).by_folder.stays == (
        "query",
        "query/leads",
        "language",
        "query/leads",
        "language",
        "query",
    )


def test_stays_are_numbered() -> None:
    assert numbered(Walk(STOPS).stays)[:2] == [
        "  1. query/pipeline.py",
        "  2. query/leads/turns.py",
    ]


def test_the_message_is_followed_in_whatever_holds_it() -> None:
    follower = Follower("¿cuánto cuesta el envío?")

    assert follower.holds("cuanto cuesta el envio")
    assert follower.holds(["cuesta", "envio"])
    assert follower.holds("envio")
    assert not follower.holds("es")
    assert not follower.holds("Los pedidos se envían en dos días; el envío no cuesta nada")
