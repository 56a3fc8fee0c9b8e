"""What the reader's scores change about an answer, and when nothing is read at all."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from django.apps import apps
from pytest_django import Settings

from accounts.models import Tenant
from language.message import read_message
from query.answering.certainty import bar, certainty
from query.answering.weighing import ReadBest, Reading, read_passages
from query.apps import QueryConfig
from query.models import Outcome
from query.pipeline import Findings, find_for_text, is_worth_reading
from query.search.calibration import get_calibration, trying
from query.search.candidates import ReadScores, RetrievedChunk
from query.search.reader.decisions import (
    NOT_READ,
    READ_CLOSELY,
    Decisions,
    any_answers,
    get_decisions,
    trying_decisions,
)
from query.search.relevance import (
    best_of,
    judge_passages,
    judge_read,
    logistic,
    select_sources,
    thresholds_of,
)
from query.search.retrieval import read_question
from query.tests.factories import (
    FARO,
    LIGHTHOUSE,
    ask,
    index_texts,
    make_calibration,
    make_chunk,
    make_question,
)

VISIT = "How much does a guided visit cost?"
HEADING = "¿Puedo devolver una pintura teñida a medida?"


@pytest.fixture
def nothing_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise AssertionError("the reader was loaded")

    monkeypatch.setattr("query.pipeline.get_reader", refuse)
    monkeypatch.setattr("query.search.reader.reader.get_reader", refuse)


def were_read(findings: Findings) -> list[bool]:
    return [chunk.read is not None for chunk in findings.chunks]


class TestSwitchedOff:
    @pytest.fixture(autouse=True)
    def _off(self, settings: Settings, nothing_is_read: None) -> None:
        settings.READER = False

    def test_the_reader_is_not_loaded_when_the_server_starts(
        self, monkeypatch: pytest.MonkeyPatch, settings: Settings
    ) -> None:
        app = apps.get_app_config("query")
        assert isinstance(app, QueryConfig)
        monkeypatch.setattr("query.search.retrieval.read_question", lambda text: None)
        monkeypatch.setattr("django.db.connection.close", lambda: None)

        app.warm_up()

        settings.READER = True
        with pytest.raises(AssertionError, match="loaded"):
            app.warm_up()

    def test_the_calibration_decides_alone(self, tenant: Tenant) -> None:
        index_texts(tenant, *LIGHTHOUSE)

        findings = find_for_text(tenant, VISIT)
        answer = ask(tenant, VISIT)

        assert were_read(findings) == [False] * len(LIGHTHOUSE)
        assert list(findings.judged) == judge_passages(findings.question, findings.chunks)
        fit = get_calibration().relevance
        thresholds = thresholds_of(findings.chunks)
        assert (thresholds.answer, thresholds.source) == (
            fit["answer_threshold"],
            fit["source_threshold"],
        )
        assert answer.outcome == Outcome.ANSWERED
        assert answer.text.startswith("A guided visit costs 7 euros.")


class TestWhatIsRead:
    def test_of_the_first_passages_each_sentence_and_of_the_others_none(
        self, tenant: Tenant
    ) -> None:
        texts = [f"A guided visit of tower {number} costs 7 euros. It is high." for number in "123"]
        index_texts(tenant, *texts, *LIGHTHOUSE)

        findings = find_for_text(tenant, VISIT)

        rest = len(findings.chunks) - READ_CLOSELY
        assert rest > 0
        assert were_read(findings) == [True] * READ_CLOSELY + [False] * rest
        assert all(
            len(chunk.read or ()) == len(chunk.sentences)
            for chunk in findings.chunks[:READ_CLOSELY]
        )

    def test_not_what_is_clearly_about_something_else(
        self, tenant: Tenant, settings: Settings
    ) -> None:
        index_texts(tenant, *LIGHTHOUSE)
        settings.READER = False
        unread = find_for_text(tenant, VISIT)
        settings.READER = True
        shipped, probability = get_decisions(), best_of(unread.judged)

        with trying_decisions(replace(shipped, unread_threshold=probability)):
            assert is_worth_reading(unread.question, unread.judged)
            assert any(were_read(find_for_text(tenant, VISIT)))
        with trying_decisions(replace(shipped, unread_threshold=probability + 1e-9)):
            assert not is_worth_reading(unread.question, unread.judged)
            assert not any(were_read(find_for_text(tenant, VISIT)))

    def test_not_what_stands_under_the_heading_that_is_asked(
        self, tenant: Tenant, nothing_is_read: None
    ) -> None:
        index_texts(tenant, "No. Lo que sale de la máquina es a tu gusto.", section_title=HEADING)
        index_texts(tenant, "Las pinturas se devuelven en treinta días.", name="devolver.txt")

        assert ask(tenant, HEADING).text.startswith("No. Lo que sale de la máquina")
        with pytest.raises(AssertionError, match="loaded"):
            ask(tenant, "¿Puedo devolver una pintura?")

    @pytest.mark.usefixtures("nothing_is_read")
    def test_nothing_where_nothing_is_indexed_or_asked(self, tenant: Tenant) -> None:
        assert ask(tenant, VISIT).outcome == Outcome.REDIRECTED
        index_texts(tenant, *LIGHTHOUSE)
        assert ask(tenant, "Hello there!").outcome == Outcome.SMALL_TALK


class TestRealAnswers:
    @pytest.mark.parametrize("texts", [LIGHTHOUSE, FARO], ids=["English text", "Spanish text"])
    @pytest.mark.parametrize(
        ("question", "told"),
        [
            ("Can my six-year-old get in without paying?", ("free", "gratis")),
            ("Mi hija de seis años, ¿paga?", ("free", "gratis")),
        ],
    )
    def test_what_is_asked_in_other_words_is_answered_thanks_to_the_reader(
        self,
        tenant: Tenant,
        settings: Settings,
        texts: Sequence[str],
        question: str,
        told: tuple[str, ...],
    ) -> None:
        index_texts(tenant, *texts)

        answer = ask(tenant, question)

        assert answer.outcome == Outcome.ANSWERED
        assert any(word in answer.text for word in told)
        settings.READER = False
        assert ask(tenant, question).outcome != Outcome.ANSWERED

    def test_words_that_stand_there_are_no_answer_to_another_question(
        self, tenant: Tenant, settings: Settings
    ) -> None:
        index_texts(tenant, *LIGHTHOUSE)

        assert ask(tenant, "Who built the lighthouse?").outcome != Outcome.ANSWERED
        settings.READER = False
        assert ask(tenant, "Who built the lighthouse?").outcome == Outcome.ANSWERED


def decide(
    *,
    passage: dict[str, float] | None = None,
    answer: dict[str, float] | None = None,
    **over: Any,
) -> Decisions:
    """Nothing but what is named weighs anything."""
    shipped = get_decisions()
    return replace(
        shipped,
        passage=dict.fromkeys(shipped.passage, 0.0) | (passage or {}),
        answer=dict.fromkeys(shipped.answer, 0.0) | (answer or {}),
        **over,
    )


@pytest.mark.django_db
class TestPassages:
    def test_what_was_not_read_counts_as_if_hardly_anything_in_it_answered(self) -> None:
        chunks = [make_chunk(read=(2.0,)), make_chunk(chunk_id=2)]
        question = read_question(read_message("boats"))
        judged = judge_passages(question, chunks)

        with trying_decisions(decide(passage={"answers": 0.5})):
            read = judge_read(judged, chunks)

        assert [one.probability for one in read] == pytest.approx(
            [logistic(1.0), logistic(NOT_READ / 2)]
        )
        assert [one.evidence for one in read] == [one.evidence for one in judged]

    def test_one_that_was_asked_for_by_its_heading_stays_certain(self) -> None:
        chunk = make_chunk(section_title="How are boats repaired?", read=(-9.0,))
        judged = judge_passages(read_question(read_message("How are boats repaired?")), [chunk])

        assert [one.probability for one in judge_read(judged, [chunk])] == [1.0]

    def test_sources_are_chosen_by_the_thresholds_of_what_was_read(self) -> None:
        read, unread = make_chunk(read=(2.0,)), make_chunk(chunk_id=2)
        decisions = decide(answer_threshold=0.9, source_threshold=0.2)
        calibration = make_calibration(
            relevance={"answer_threshold": 0.99, "source_threshold": 0.98}
        )
        with trying(calibration), trying_decisions(decisions):
            half = judge_passages(read_question(read_message("boats")), [read, unread])
            judged = [replace(half[0], probability=0.95), replace(half[1], probability=0.3)]
            assert select_sources([read, unread], judged) == (read, unread)
            assert select_sources([replace(read, read=None), unread], judged) == ()


@pytest.mark.django_db
class TestSentences:
    text = "Boats are red. Boats are dear. Boats are old."

    def reading(self, *passages: ReadScores | None, sentence: float = 1.0) -> Reading:
        chunks: list[RetrievedChunk] = [
            make_chunk(
                chunk_id=number, text=self.text.replace("Boats", f"Boats {number}"), read=one
            )
            for number, one in enumerate(passages)
        ]
        with trying(make_calibration()), trying_decisions(decide(sentence=sentence)):
            return read_passages(make_question("boats"), chunks)

    def test_the_one_that_the_reader_prefers_is_the_best_where_nothing_else_tells(self) -> None:
        reading = self.reading((-5.0, 4.0, -20.0))

        best = reading.ranked[0]
        assert (best.text, best.read) == ("Boats 0 are dear.", 4.0)
        assert reading.read == ReadBest(4.0, behind=0.0, any=any_answers([-5.0, 4.0, -20.0]))
        assert [item.score - reading.ranked[-1].score for item in reading.ranked] == pytest.approx(
            [14.0, 5.0, 0.0]
        )

    def test_how_far_the_best_is_behind_the_readers_own_choice_is_known(self) -> None:
        reading = self.reading((-5.0, 4.0, 1.0), sentence=0.0)

        assert reading.ranked[0].text == "Boats 0 are red."
        assert reading.read is not None
        assert (reading.read.score, reading.read.behind) == (-5.0, -9.0)

    def test_one_that_was_not_read_is_no_favourite(self) -> None:
        reading = self.reading((None, -1.0, -2.0), None)

        assert [item.text for item in reading.ranked[:2]] == [
            "Boats 0 are dear.",
            "Boats 0 are old.",
        ]
        assert {item.read for item in reading.ranked[2:]} == {None}

    def test_where_nothing_was_read_the_calibration_says_how_certain_is_enough(self) -> None:
        unread, read = self.reading(None), self.reading((4.0, 0.0, 0.0))
        calibration = make_calibration(certainty={"bias": -1.0, "threshold_en_en": 0.4})
        decisions = decide(answer={"bias": 1.0, "score": 0.5}, certainty={"threshold_en_en": 0.6})

        with trying(calibration), trying_decisions(decisions):
            assert (certainty(unread), bar(unread)) == (logistic(-1.0), 0.4)
            assert (certainty(read), bar(read)) == (logistic(3.0), 0.6)
