"""The Idempotency-Key of requests that make something (accounts/idempotency.py)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.errors import IdempotencyKeyReused, RequestInProgress
from accounts.idempotency import Claim, claim_request
from accounts.models import Tenant
from config.errors import InvalidValue

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
KEY = re.compile(r"[!-~]{1,255}")

IDEMPOTENT_ERRORS = (InvalidValue, IdempotencyKeyReused, RequestInProgress)
IDEMPOTENCY_KEY = [
    OpenApiParameter(
        HEADER,
        {"type": "string", "pattern": "^[!-~]{1,255}$"},
        OpenApiParameter.HEADER,
        description=(
            "A key of your choice for this request, for example a UUID. If the same"
            " request comes again with this key within 24 hours, it is not carried out"
            " again and gets the first answer."
        ),
    ),
    OpenApiParameter(
        REPLAYED,
        {"type": "string", "enum": ["true"]},
        OpenApiParameter.HEADER,
        description="This is the answer to an earlier request with the same Idempotency-Key.",
        response=[201],
    ),
]


def answer_once(
    request: Request,
    tenant: Tenant,
    work: Callable[[Claim | None], Response],
    *,
    content: Callable[[], Any],
) -> Response:
    """Returns the response of `work`, or the one that it gave to the same request before. Errors
    are not kept.

    Args:
        work: gets None without an Idempotency-Key. If it makes a row in one transaction, it keeps
            the answer in it (`keep_answer`); else it is kept when `work` has returned.
        content: all of the request that the answer depends on, for JSON.

    Raises InvalidValue, IdempotencyKeyReused, RequestInProgress, and what `work` raises.
    """
    key = request.headers.get(HEADER)
    if key is None:
        return work(None)
    if not KEY.fullmatch(key):
        raise InvalidValue(f"{HEADER}: Must be 1 to 255 visible ASCII characters.")
    text = json.dumps(content(), sort_keys=True)
    claim = claim_request(tenant, f"{request.method} {request.path}", key, text)
    if claim.is_answered:
        return Response(
            json.loads(claim.row.answer), status=claim.row.status, headers={REPLAYED: "true"}
        )
    try:
        response = work(claim)
    except BaseException:
        # Also for a worker that is told to stop: the client's next try must not meet a claim that
        # nobody works on.
        claim.give_back()
        raise
    with suppress(RequestInProgress):  # the worker that took over answers the same
        keep_answer(claim, response)
    return response


def keep_answer(claim: Claim | None, response: Response) -> None:
    """Raises RequestInProgress when the claim is lost."""
    if claim is not None and not claim.is_answered:
        claim.answer(response.status_code, JSONRenderer().render(response.data).decode())
