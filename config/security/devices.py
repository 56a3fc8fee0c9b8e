"""The browser and system that a User-Agent names, and the network of an address: by these people
recognize a session.

A plain reading, told to people and compared between sign-ins; nothing is decided by it.
"""

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass

IPV4_NETWORK_BITS = 24  # a provider gives a household another address of the same network
PROGRAM_MAX_CHARS = 40

# The first that occurs: each names itself beside those that it wants to be taken for.
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("YaBrowser", "Yandex"),
    ("Vivaldi", "Vivaldi"),
    ("Firefox/", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Macintosh", "macOS"),
    ("Linux", "Linux"),
)
PROGRAM = re.compile(r"[\w.+-]+")  # "curl" of "curl/8.5.0"


@dataclass(frozen=True)
class Device:
    """A browser and a system, without versions, since an update does not make another device. Empty
    where unknown."""

    browser: str
    system: str

    def __str__(self) -> str:
        return " · ".join(filter(None, (self.browser, self.system)))


def read_device(user_agent: str) -> Device:
    browser = find_name(BROWSERS, user_agent) or read_program(user_agent)
    return Device(browser, find_name(SYSTEMS, user_agent))


def find_name(marks: tuple[tuple[str, str], ...], user_agent: str) -> str:
    return next((name for mark, name in marks if mark in user_agent), "")


def read_program(user_agent: str) -> str:
    """The name that a program other than a browser puts first in its User-Agent."""
    found = PROGRAM.match(user_agent)
    return found[0][:PROGRAM_MAX_CHARS] if found else ""


def network_of(address: str) -> str:
    """The network of an address that config.security.client_address gave, which has already reduced
    IPv6 addresses to their network."""
    try:
        known = ipaddress.IPv4Address(address)
    except ValueError:
        return address
    return str(ipaddress.IPv4Network((known, IPV4_NETWORK_BITS), strict=False))


def is_new_place(address: str, user_agent: str, known: Iterable[tuple[str, str]]) -> bool:
    """True if none of the `known` (address, user agent) pairs has this network, or none this kind
    of device."""
    places = list(known)
    networks = {network_of(known_address) for known_address, _ in places}
    devices = {read_device(known_agent) for _, known_agent in places}
    return network_of(address) not in networks or read_device(user_agent) not in devices
