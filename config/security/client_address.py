"""The address from which a request comes."""

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request

from config.serving.senders import address_of


def client_address(request: HttpRequest | Request) -> str:
    """The result of `address_of` for a request, behind TRUSTED_PROXIES proxies of ours."""
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "")
    remote = request.META.get("REMOTE_ADDR", "")
    return address_of(remote, forwarded, proxies=settings.TRUSTED_PROXIES)
