"""The address from which a request comes, behind proxies of ours."""

import ipaddress
import re

# As some proxies write it: "203.0.113.7:5678", "[2001:db8::1]:5678".
WITH_PORT = re.compile(r"([0-9.]+):[0-9]+|\[([0-9A-Fa-f:.]+)\](?::[0-9]+)?")
IPV6_NETWORK_BITS = 64  # one customer of a provider has as many addresses as they like


def address_of(remote: str, forwarded: str, *, proxies: int) -> str:
    """The sender's address, behind so many proxies of ours; an IPv6 one as its /64.

    Each proxy appends who spoke to it, so only the entries from the right are true. "unknown" when
    there are fewer than there should be, or the entry is not an address.

    Args:
        remote: who speaks to us.
        forwarded: X-Forwarded-For, "" without one.
    """
    hops = [remote]
    if proxies:
        hops = [hop.strip() for hop in forwarded.split(",")] + hops
    index = -1 - proxies
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
