"""The requests of programs, read strictly before Authlib reads them."""

import base64
from collections.abc import Mapping, Sequence

from authlib.oauth2.rfc6749.requests import BasicOAuth2Payload, OAuth2Request

from accounts.errors import InvalidProgramRequest

VALUE_MAX_CHARS = 2000
# Authlib looks whether it is https. Whether ours is, is the operator's business (BASE_URL).
AT = "https://authorization-server.invalid/"


class ProgramRequest(OAuth2Request):
    """A request with the parameters of a query or of a form, each at most once.

    Raises InvalidProgramRequest for a repeated one (RFC 6749, section 3.1), for one that is too
    long, and for signs that no parameter of OAuth has: what we quote of it stays quotable.
    """

    def __init__(
        self, method: str, parameters: Mapping[str, Sequence[str]], *, authorization: str = ""
    ) -> None:
        super().__init__(method, AT, headers=basic_header(authorization))
        # Without a value is as good as not sent (RFC 6749, section 3.1).
        given = {name: values for name, values in parameters.items() if any(values)}
        self.parameters = {name: only(name, values) for name, values in given.items()}
        self.payload = BasicOAuth2Payload(self.parameters)

    @property
    def form(self) -> dict[str, str]:
        return self.parameters


def only(name: str, values: Sequence[str]) -> str:
    if len(values) != 1:
        raise InvalidProgramRequest("A parameter was sent more than once.")
    [value] = values
    # `state` is the program's own text: any printable ASCII (RFC 6749, appendix A.5).
    never = "" if name == "state" else '"\\'
    is_plain = all(" " <= sign <= "~" and sign not in never for sign in name + value)
    if not is_plain or len(value) > VALUE_MAX_CHARS:
        raise InvalidProgramRequest("A parameter is too long or contains invalid characters.")
    return value


def basic_header(authorization: str) -> dict[str, str]:
    """The header if it can be read (RFC 7617), or no header: Authlib would stumble over it."""
    try:
        scheme, encoded = authorization.split()
        base64.b64decode(encoded, validate=True).decode()
    except ValueError:
        return {}
    return {"Authorization": authorization} if scheme.lower() == "basic" else {}
