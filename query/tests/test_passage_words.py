"""Where terms stand in passages, found without looking at each word."""

from query.search.passage_words import Uncut, WantedTerms, beginning_of, cut, read_words

TEXT = "A winter berth costs 90 euros. Berths are long."
SPANS = ((0, 30), (31, len(TEXT)))


def test_each_place_of_a_term_is_found_in_its_sentence() -> None:
    words = read_words(TEXT, SPANS, "en")
    (found,) = WantedTerms(["=berth", "cberth", beginning_of("berthing")]).find([words])
    assert words.lengths == (5, 2)
    assert [(one.sentence, one.position, one.term) for one in found] == [
        (0, 1, "=berth"),
        (0, 1, "cberth"),
        (0, 1, "^berth"),
        (1, 0, "cberth"),
        (1, 0, "^berth"),
    ]


def test_each_of_several_passages_gets_its_own() -> None:
    passages = [read_words(text, ((0, len(text)),), "en") for text in ("Berth.", "", "A berth.")]
    found = WantedTerms(["=berth"]).find(passages)
    assert [len(terms) for terms in found] == [1, 0, 1]


def test_nothing_is_found_of_nothing() -> None:
    words = read_words(TEXT, SPANS, "en")
    assert WantedTerms([]).find([words]) == [[]]
    assert WantedTerms(["=berth"]).find([]) == []


def test_the_same_text_is_another_passage_in_another_language_or_with_other_sentences() -> None:
    assert read_words(TEXT, SPANS, "en") is read_words(TEXT, SPANS, "en")
    assert read_words(TEXT, SPANS, "en") is not read_words(TEXT, SPANS, "es")
    assert read_words(TEXT, SPANS, "en") is not read_words(TEXT, ((0, len(TEXT)),), "en")


def test_what_is_remembered_holds_no_text() -> None:
    passage = Uncut("A text that nobody else has written.", ((0, 36),), "en")
    cut(passage)
    assert passage.text == ""
