"""Harmless files of hostile names: all of them are read."""

from reading.tests.files.hostile.file import SYNCED, HostileFile

NAMES = {
    "Name that is a path": "../../etc/passwd.txt",
    "Name of 300 characters": "n" * 296 + ".txt",
    "Name with quotes and a semicolon": 'a\\"; name=\\"x.txt',
    "Name turned around": "precios\u202efdp.txt",
    "Name with line ends": "a\r\nX-Header: b.txt",
    "Name that is markup": "<script>alert(1)</script>.txt",
}


def harmless() -> bytes:
    return "Los pedidos se entregan en dos días laborables.".encode()


FILES = tuple(
    HostileFile(title, filename, harmless, (SYNCED,)) for title, filename in NAMES.items()
)
