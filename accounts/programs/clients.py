"""A Program, as Authlib asks for a client (authlib.oauth2.rfc6749.ClientMixin)."""

import hmac
from dataclasses import dataclass
from urllib.parse import urlsplit

from accounts.models import AuthMethod, Program, Scope
from accounts.models.programs import URI_MAX_CHARS
from accounts.models.tenants import NAME_MAX_CHARS
from accounts.programs.redirects import is_registered
from config.security.encryption import digest

MAX_REDIRECT_URIS = 10


@dataclass(frozen=True)
class ProgramClient:
    program: Program

    def get_client_id(self) -> str:
        return self.program.client_id

    def get_default_redirect_uri(self) -> str | None:
        return None  # said outright in each request (OAuth 2.1)

    def get_allowed_scope(self, scope: str | None) -> str | None:
        """Returns the known scopes among those asked for, which may be fewer (RFC 6749, section
        3.3); all if none was asked for, and None if none is known."""
        if not scope:
            return " ".join(Scope.values)
        asked = scope.split(" ")
        return " ".join(known for known in Scope.values if known in asked) or None

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return is_registered(redirect_uri, self.program.redirect_uris)

    def check_client_secret(self, client_secret: str) -> bool:
        return hmac.compare_digest(self.program.secret_hash, digest(client_secret))

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        """True if the program authenticates in this way. The same for all endpoints: programs that
        have a secret may send it either way."""
        has_secret = self.program.auth_method != AuthMethod.NONE
        return has_secret == (method != AuthMethod.NONE)

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return True  # both that there are


def find_client(client_id: str) -> ProgramClient | None:
    if len(client_id) > URI_MAX_CHARS or not client_id.isprintable():
        return None
    program = Program.objects.filter(client_id=client_id).first()
    return ProgramClient(program) if program else None


def readable_name(name: str, redirect_uri: str) -> str:
    """The program's own name without invisible characters, which could make one program look like
    another; if nothing is left, the place that it sends people back to."""
    visible = "".join(filter(str.isprintable, name)).strip()
    parts = urlsplit(redirect_uri)
    return (visible or parts.netloc or parts.scheme)[:NAME_MAX_CHARS]
