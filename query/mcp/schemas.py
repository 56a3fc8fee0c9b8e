"""The parameters of each method, by the official types: in every revision, to the letter.

Imported when the first message comes: `mcp_types` costs a quarter of a second.
"""

from __future__ import annotations

from typing import Any

from mcp_types.methods import validate_client_request
from pydantic import ValidationError

from query.mcp.problems import tell_problems
from query.mcp.protocol import INVALID_PARAMS, RpcError


def check_params(method: str, revision: str, params: dict[str, Any]) -> None:
    """Raises RpcError."""
    try:
        validate_client_request(method, revision, params)
    except ValidationError as error:
        told = tell_problems(error, of="params")
        raise RpcError(INVALID_PARAMS, f"Wrong params of {method}. {told}") from None
