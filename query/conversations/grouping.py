"""Questions that were not answered, put together with those that asked the same.

Two questions ask the same when the cosine of their vectors is at least SAME_COSINE. Chosen on
all-MiniLM-L6-v2, the default model: of 57 pairs of paraphrases (13 questions of Spanish and English
customers in their ways of saying them) 63 % reach it; of the 48,550 pairs of different questions of
a company in bench/companies, 8 (0.02 %), most of them close relatives. At 0.65 it is 75 % and 15
pairs, at 0.75 51 % and 2. Questions that differ in a name alone («¿Abrís los domingos?», «¿Abrís
los lunes?») may come together: the same text answers them. A paraphrase that stays apart is a line
more to read; two matters under one title would hide one of them: so rather 0.70 than less.
"""

from __future__ import annotations

import logging

from django.db import DatabaseError, transaction
from pgvector.django import CosineDistance

from query.models import Message, Outcome, QuestionGroup
from query.search.candidates import Question
from sources.embedding.close_reading import Vectors

logger = logging.getLogger(__name__)

SAME_COSINE = 0.70
GROUPED = (Outcome.REDIRECTED, Outcome.UNSURE)
CLEAR_WORDS = 12  # more make a question no clearer


def group_question(message: Message, asked: Question) -> None:
    """Puts a kept transcript's question into its group. The transcript stays even when this fails:
    the log says so, without a word of it."""
    if message.outcome not in GROUPED or not asked.vector.size:
        return
    try:
        with transaction.atomic():
            group = find_group(message, asked.vector, asked.space)
            message.group, message.clarity = group, clarity(message.question)
            message.save(update_fields=["group", "clarity"])
    except DatabaseError as error:
        logger.error("message %s was not grouped: %s", message.pk, type(error).__name__)


def find_group(message: Message, vector: Vectors, space: int) -> QuestionGroup:
    """The nearest group that is not answered, or a new one: a question that is asked again although
    it was answered is open again. A dismissed group takes similar questions, which nobody wants to
    see either. Two that are asked at the same moment may become two groups. One query over the
    tenant's groups."""
    groups = QuestionGroup.objects.for_tenant(message.tenant)
    near = groups.filter(space=space, entry=None).annotate(
        distance=CosineDistance("vector", vector)
    )
    nearest = (
        near.filter(distance__lte=1 - SAME_COSINE).order_by("distance").defer("vector").first()
    )
    return nearest or groups.create(vector=vector, space=space)


def clarity(question: str) -> int:
    """A number for how well a question tells by itself what is asked; larger is clearer. A whole
    sentence with its question mark is clear, «horario domingo» and half a page are not."""
    words = len(question.split())
    asks = question.rstrip().endswith("?")
    return 2 * min(words, max(0, 2 * CLEAR_WORDS - words)) + 12 * asks
