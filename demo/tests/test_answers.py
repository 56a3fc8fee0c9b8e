"""The demo's sample questions, asked of the demo as `bin/up` loads it: the first that anybody
tries."""

from pathlib import Path

import pytest

from accounts.models import Tenant
from demo.loading import load_demo
from demo.tests.test_loading import CASES
from query.answers import Answer
from query.models import Outcome
from query.pipeline import answer_findings, find_for_text

pytestmark = [pytest.mark.slow, pytest.mark.django_db]

HEDGES = (
    "No he encontrado",
    "No tengo información",
    "I did not find",
    "I found nothing",
    "I have no",
)
# The only one that is quoted: its row stands under a heading that says «envío», and does not itself
QUOTED = {"¿Cuánto cuesta el envío a Portugal?"}


@pytest.fixture
def demo(tmp_path: Path) -> Tenant:
    load_demo(tmp_path, lambda line: None)
    return Tenant.objects.get(slug="demo")


def ask(demo: Tenant, question: str) -> Answer:
    return answer_findings(demo, find_for_text(demo, question))


def test_each_sample_question_is_answered_without_a_hedge(demo: Tenant) -> None:
    answers = {case["question"]: ask(demo, case["question"]) for case in CASES["answerable"]}

    for case in CASES["answerable"]:
        answer = answers[case["question"]]
        assert case["answer"] in answer.text
        assert not answer.text.startswith(HEDGES)
    quoted = {text for text, answer in answers.items() if answer.outcome != Outcome.ANSWERED}
    assert quoted <= QUOTED


def test_what_the_demo_does_not_tell_has_no_sources(demo: Tenant) -> None:
    for case in CASES["no_sources"]:
        assert ask(demo, case["question"]).sources == ()
