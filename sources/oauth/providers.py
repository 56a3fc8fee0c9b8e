"""The facts about a provider's sign-in: addresses, scopes, and the application that our operator
registered there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.conf import settings

CALLBACK_PATH = "/dashboard/connections/callback"  # registered at every provider, exactly


@dataclass(frozen=True)
class OAuthProvider:
    """Addresses and names of settings are looked up when they are used: `*_setting` is the name of
    the setting that holds the beginning of an address, `*_path` the rest.

    `registration`: the name of the setting with the client's id and secret, a pair. `parameters`:
    beside the standard's own. `is_json`: its token endpoint takes JSON, and the client's name and
    secret by HTTP Basic. `revoke_path`: "" where it revokes nothing. `revokes_access`: what it
    takes back is an access token. `headers`: that it wants with our requests.
    """

    label: str
    registration: str
    authorize_setting: str
    authorize_path: str
    token_setting: str
    token_path: str
    scopes: tuple[str, ...] = ()
    revoke_path: str = ""
    uses_pkce: bool = True
    is_json: bool = False
    revokes_access: bool = False
    parameters: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def client(self) -> tuple[str, str]:
        """Id and secret; two empty texts where the operator has registered nothing."""
        client_id, secret = getattr(settings, self.registration)
        return client_id, secret

    @property
    def is_registered(self) -> bool:
        return all(self.client)

    @property
    def authorize_url(self) -> str:
        return f"{getattr(settings, self.authorize_setting)}{self.authorize_path}"

    @property
    def token_url(self) -> str:
        return f"{getattr(settings, self.token_setting)}{self.token_path}"

    @property
    def revoke_url(self) -> str:
        """ "" where nothing can be revoked."""
        base = getattr(settings, self.token_setting)
        return f"{base}{self.revoke_path}" if self.revoke_path else ""


def callback_url() -> str:
    return f"{settings.BASE_URL}{CALLBACK_PATH}"
