"""From which address a request comes."""

import ipaddress
import re

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request

# As some proxies write it: "203.0.113.7:5678", "[2001:db8::1]:5678".
WITH_PORT = re.compile(r"([0-9.]+):[0-9]+|\[([0-9A-Fa-f:.]+)\](?::[0-9]+)?")
IPV6_NETWORK_BITS = 64  # one customer of a provider has as many addresses as they like


def client_address(request: HttpRequest | Request) -> str:
    """The caller's address, behind TRUSTED_PROXIES proxies of ours; an IPv6 one as its /64.

    Each proxy appends who spoke to it, so only the entries from the right are true. "unknown" when
    there are fewer than there should be, or what stands there is no address.
    """
    hops = [request.META.get("REMOTE_ADDR", "")]
    if settings.TRUSTED_PROXIES:
        forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
        hops = [hop.strip() for hop in forwarded] + hops
    index = -1 - settings.TRUSTED_PROXIES
    return normalize(hops[index]) if len(hops) >= -index else "unknown"


def normalize(text: str) -> str:
    with_port = WITH_PORT.fullmatch(text)
    try:
        address = ipaddress.ip_address("".join(with_port.groups("")) if with_port else text)
    except ValueError:
        return "unknown"
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, IPV6_NETWORK_BITS), strict=False))
    return str(address)
