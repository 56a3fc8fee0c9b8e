"""Programs that say at an address of their own what they are, and whose id that address is: "Client
ID Metadata Documents" (draft-ietf-oauth-client-id-metadata-document-00, as MCP's "Authorization",
revision 2026-07-28, asks for; read 2026-11-23). They register nowhere.

Only for a person who is signed in is one fetched, and by the client that reaches no private
address.
"""

import json
from datetime import timedelta
from typing import Any

from django.utils import timezone

from accounts.errors import UnreadableDocument
from accounts.models import AuthMethod, Program
from accounts.programs.clients import MAX_REDIRECT_URIS, readable_name
from accounts.programs.redirects import may_register, split
from accounts.signing_in.guessing import refuse_for
from config.database.pool import release_connection
from config.http import FetchError, HttpClient
from config.security.current_client import current_client
from config.security.rate_limits import Limit, take
from config.serving.waiting import Kind, waiting_threads

# The person waits for this page of ours, and the address is the caller's choice: a small document,
# soon, or none.
DOCUMENT_MAX_BYTES = 5 * 1024
DEADLINE_SECONDS = 5.0
RETRY_AFTER_SECONDS = 10  # when too many threads wait for other servers
# A program may change its redirect addresses. Reading its description for each sign-in would make
# every sign-in depend on the program's server.
KEPT = timedelta(days=1)
# Of one address: nobody lets in more programs that nobody here has met today.
FETCHES = Limit("program_documents", 30, 3600)


def is_published(client_id: str) -> bool:
    """True if the id can be the address of a published description: https, a path, and nothing that
    hides another address."""
    parts = split(client_id)
    if parts is None or parts.scheme != "https" or not parts.hostname:
        return False
    is_odd = "#" in client_id or "@" in parts.netloc or {".", ".."} & set(parts.path.split("/"))
    return not is_odd and parts.path not in ("", "/")


def meet_published(client_id: str) -> None:
    """Fetches the program's description, unless the row was read within a day. One request at most.

    Raises UnreadableDocument, TooManyRequests, LimitsUnavailable.
    """
    fresh = Program.objects.filter(client_id=client_id, published_at__gt=timezone.now() - KEPT)
    if not is_published(client_id) or fresh.exists():
        return
    refuse_for(take(FETCHES, current_client.get().address))
    release_connection()
    with waiting_threads.waiting(Kind.SERVERS) as may_wait:
        refuse_for(0 if may_wait else RETRY_AFTER_SECONDS)
        content = fetch_document(client_id)
    said = read_document(client_id, content)
    Program.objects.update_or_create(
        client_id=client_id, defaults={**said, "published_at": timezone.now()}
    )


def fetch_document(client_id: str) -> bytes:
    """Fetches a program's description. Follows no redirects, since somebody else could answer
    there. Raises UnreadableDocument."""
    try:
        with HttpClient() as client:
            page = client.send(
                "GET",
                client_id,
                max_bytes=DOCUMENT_MAX_BYTES,
                deadline_seconds=DEADLINE_SECONDS,
                headers={"Accept": "application/json"},
            )
    except FetchError as error:
        raise UnreadableDocument from error
    if page.status != 200:
        raise UnreadableDocument
    return page.body


def read_document(client_id: str, content: bytes) -> dict[str, Any]:
    """Reads the columns of a Program from its description. Raises UnreadableDocument."""
    try:
        said = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise UnreadableDocument from error
    if not isinstance(said, dict) or said.get("client_id") != client_id:
        raise UnreadableDocument
    uris = said.get("redirect_uris")
    if not isinstance(uris, list) or not 0 < len(uris) <= MAX_REDIRECT_URIS:
        raise UnreadableDocument
    if not all(isinstance(uri, str) and may_register(uri) for uri in uris):
        raise UnreadableDocument
    if not may_be_public(said):
        raise UnreadableDocument  # a secret cannot be published, and keys we do not read
    name = said.get("client_name")
    return {
        "name": readable_name(name if isinstance(name, str) else "", uris[0]),
        "redirect_uris": uris,
    }


def may_be_public(said: dict[str, Any]) -> bool:
    """True if the program can do without a secret here. One that prefers keys, as ChatGPT does,
    names "none" among what it can do as well (OpenID Connect Relying Party Metadata Choices 1.0),
    and takes that where our metadata has nothing better (cloudflare/workers-oauth-provider issue
    293, read 2026-11-23)."""
    preferred = said.get("token_endpoint_auth_method", AuthMethod.NONE)
    others = said.get("token_endpoint_auth_methods_supported")
    return AuthMethod.NONE in [preferred, *(others if isinstance(others, list) else [])]
