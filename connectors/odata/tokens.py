"""A token for a client of its own, without a person (RFC 6749, 4.4, as Microsoft Entra ID and SAP's
XSUAA give them). It lives as long as a sync: there is nothing to refresh."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any

from config.http import FetchError, HttpClient
from reasons import Reason
from sources.connectors.json_bodies import parse_json
from sources.errors import OriginUnavailable, ReauthRequired, SyncFailed

TOKEN_SECONDS = 20.0  # for one exchange
TOKEN_MAX_BYTES = 256 * 1024
EARLY_SECONDS = 60.0  # before its end: what is sent with it takes a while too


class ClientCredentials:
    """calling.Authorization. For several threads; one of them asks, the others wait for it."""

    def __init__(
        self, label: str, token_url: str, *, client_id: str, client_secret: str, scope: str
    ) -> None:
        self._label = label
        self._token_url = token_url
        self._form = {
            "grant_type": "client_credentials",
            "client_id": client_id,
            "client_secret": client_secret,
            **({"scope": scope} if scope else {}),
        }
        self._lock = threading.Lock()
        self._headers: dict[str, str] = {}
        self._ends_at = 0.0  # time.monotonic()

    def headers(self) -> Mapping[str, str]:
        with self._lock:
            if not self._headers or time.monotonic() > self._ends_at:
                self._fetch()
            return self._headers

    def renew(self, refused: Mapping[str, str]) -> bool:
        with self._lock:
            if self._headers == refused:
                self._fetch()
            return self._headers != refused

    def _fetch(self) -> None:
        answer = self._exchange()
        token, lives_seconds = answer.get("access_token"), answer.get("expires_in")
        if not isinstance(token, str) or not (token.isascii() and token.isprintable()):
            raise self._unavailable()
        self._headers = {"Authorization": f"Bearer {token}"}
        self._ends_at = float("inf")  # until it is refused
        if isinstance(lives_seconds, (int, float)) and 0 < lives_seconds < 10**9:
            self._ends_at = time.monotonic() + lives_seconds - EARLY_SECONDS

    def _exchange(self) -> dict[str, Any]:
        """Raises ReauthRequired when the client is refused, OriginUnavailable."""
        try:
            with HttpClient() as client:
                answer = client.send(
                    "POST",
                    self._token_url,
                    headers={"Accept": "application/json"},
                    form=self._form,
                    max_bytes=TOKEN_MAX_BYTES,
                    deadline_seconds=TOKEN_SECONDS,
                )
            content = parse_json(answer.body)
        except FetchError as error:
            kind = OriginUnavailable if error.retryable else SyncFailed
            raise kind(
                Reason("sign_in_failed_at", label=self._label, reason=error.reason)
            ) from error
        except (ValueError, RecursionError):
            raise self._unavailable() from None  # the answer may hold a token
        if not isinstance(content, dict) or answer.status >= 500 or answer.status == 429:
            raise self._unavailable()
        if answer.status >= 300:
            word = str(content.get("error", answer.status))[:100]
            raise ReauthRequired(Reason("sign_in_refuses_client", label=self._label, name=word))
        return content

    def _unavailable(self) -> OriginUnavailable:
        return OriginUnavailable(Reason("sign_in_answers_oddly", label=self._label))
