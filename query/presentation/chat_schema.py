"""Describes answers in OpenAI's protocol for the API's description: their form, and examples."""

from typing import Any

from drf_spectacular.utils import OpenApiExample
from rest_framework import serializers

from query.models import Confidence
from query.presentation.answer_object import SourceOutput
from query.presentation.examples import CITED_ANSWER

MODEL_ID = "7c9e6679-7425-40de-944b-e07fc1f90ae7"


class UrlCitationOutput(serializers.Serializer[Any]):
    url = serializers.CharField()
    title = serializers.CharField()
    start_index = serializers.IntegerField(min_value=0)
    end_index = serializers.IntegerField(min_value=0)


class AnnotationOutput(serializers.Serializer[Any]):
    type = serializers.ChoiceField(choices=["url_citation"])
    url_citation = UrlCitationOutput()


class ChatMessageOutput(serializers.Serializer[Any]):
    role = serializers.ChoiceField(choices=["assistant"])
    content = serializers.CharField()
    refusal = serializers.CharField(allow_null=True)
    annotations = AnnotationOutput(many=True)


class ChoiceOutput(serializers.Serializer[Any]):
    index = serializers.IntegerField(min_value=0)
    message = ChatMessageOutput()
    logprobs = serializers.CharField(allow_null=True)
    finish_reason = serializers.ChoiceField(choices=["stop"])


class TokenCountOutput(serializers.Serializer[Any]):
    prompt_tokens = serializers.IntegerField(min_value=0)
    completion_tokens = serializers.IntegerField(min_value=0)
    total_tokens = serializers.IntegerField(min_value=0)


class ChatCompletionOutput(serializers.Serializer[Any]):
    id = serializers.CharField()
    object = serializers.ChoiceField(choices=["chat.completion"])
    created = serializers.IntegerField(help_text="Seconds since 1970.")
    model = serializers.CharField()
    system_fingerprint = serializers.CharField(allow_null=True)
    choices = ChoiceOutput(many=True)
    usage = TokenCountOutput(help_text="Always 0: what a plan counts are questions.")
    sources = SourceOutput(many=True)
    confidence = serializers.ChoiceField(choices=Confidence.choices)


CHAT_QUESTION = OpenApiExample(
    "A follow-up",
    {
        "model": "Support",
        "messages": [
            {"role": "user", "content": "When is the shop open?"},
            {"role": "assistant", "content": "From Monday to Friday, from 9:00 to 18:00. [1]"},
            {"role": "user", "content": "And on Saturdays?"},
        ],
    },
    request_only=True,
)
TEXT = "Returns are accepted within thirty days of the purchase with the receipt. [1]"
CITATION = {
    "type": "url_citation",
    "url_citation": {
        "url": "https://agents.example.com/dashboard/sources/1b4e28ba-2fa1-41d2-883f-0016d3cca427",
        "title": "returns.pdf",
        "start_index": 74,
        "end_index": 77,
    },
}
CHAT_ANSWER = OpenApiExample(
    "An answer with its source",
    {
        "id": "chatcmpl-9f0c8a5d6e1b4b7a8c2d3e4f5a6b7c8d",
        "object": "chat.completion",
        "created": 1795392000,
        "model": MODEL_ID,
        "system_fingerprint": None,
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": f"{TEXT}\n\nSources:\n[1] returns.pdf, page 3",
                    "refusal": None,
                    "annotations": [CITATION],
                },
                "logprobs": None,
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
        "sources": CITED_ANSWER.value["sources"],
        "confidence": "answered",
    },
    response_only=True,
)
CHAT_CHUNKS = OpenApiExample(
    "A stream",
    """\
data: {"id": "chatcmpl-9f0…", "object": "chat.completion.chunk", "choices": [{"index": 0, \
"delta": {"role": "assistant", "content": ""}, "finish_reason": null}], …}

data: {…, "choices": [{"index": 0, "delta": {"content": "Returns are accepted …"}, …}]}

data: {…, "choices": [{"index": 0, "delta": {"annotations": […]}, "finish_reason": "stop"}], …}

data: [DONE]

""",
    media_type="text/event-stream",
    response_only=True,
)
