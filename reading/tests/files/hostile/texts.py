"""Text, CSV, Markdown and HTML: too long, too wide, too deep, or no text at all."""

from reading.tests.files.hostile.file import (
    FAILED,
    MEGABYTE,
    SYNCED,
    TOO_LARGE,
    TOO_SLOW,
    UNSUPPORTED,
    UPLOAD_MAX_BYTES,
    HostileFile,
)

SENTENCE = "Los pedidos se entregan en dos días laborables en toda la península. "
EITHER = (FAILED, SYNCED)


def repeated(piece: str, size_bytes: int) -> bytes:
    data = piece.encode()
    return data * (size_bytes // len(data))


def exactly(piece: str, size_bytes: int) -> bytes:
    data = piece.encode()
    return (data * (size_bytes // len(data) + 1))[:size_bytes]


def markdown_of(piece: str, megabytes: int = 10) -> bytes:
    return repeated(piece, megabytes * MEGABYTE)


def strange_characters() -> bytes:
    """NUL, controls, direction marks, emoji, half a surrogate pair, broken UTF-8."""
    text = "Hola\u202e\u2066 \ufeffmundo\u200b 👩\u200d🔧 \x01\x1b[2J\x7f\x85 e\u0301 \U000e0041"
    half = "\ud83d".encode("utf-8", "surrogatepass")
    return (SENTENCE * 5 + text).encode() * 40 + half + b"\xff\xfe\xc3(\n\0\0\0"


def html_of(body: str) -> bytes:
    return f"<!doctype html><html><head><title>t</title></head><body>{body}</body></html>".encode()


def html_of_20_megabytes() -> bytes:
    count = 20 * MEGABYTE // (len(SENTENCE) + 20)
    return html_of("".join(f"<p>{number}: {SENTENCE}</p>" for number in range(count)))


FILES = (
    HostileFile("TXT, 0 bytes", "nada.txt", bytes),
    HostileFile("TXT, white space only", "blanco.txt", lambda: b" \t\r\n" * MEGABYTE),
    HostileFile(
        "TXT, 50 MB of sentences", "largo.txt", lambda: exactly(f"{SENTENCE}\n\n", UPLOAD_MAX_BYTES)
    ),
    HostileFile(
        "TXT, 50 MB without a space",
        "palabra.txt",
        lambda: b"x" * UPLOAD_MAX_BYTES,
        (FAILED, TOO_SLOW),
    ),
    HostileFile(
        "TXT, 50 MB of line ends", "lineas.txt", lambda: b"a\n\n" * (UPLOAD_MAX_BYTES // 3)
    ),
    HostileFile(
        "TXT, 50 MB and a byte", "mas.txt", lambda: b"x" * (UPLOAD_MAX_BYTES + 1), (TOO_LARGE,)
    ),
    HostileFile("TXT, strange characters", "raro.txt", strange_characters, (SYNCED, UNSUPPORTED)),
    HostileFile(
        "TXT, strange characters, no NUL",
        "raro2.txt",
        lambda: strange_characters().replace(b"\0", b""),
        (SYNCED,),
    ),
    HostileFile("TXT of 0x00", "ceros.txt", lambda: bytes(MEGABYTE), (UNSUPPORTED,)),
    HostileFile(
        "EXE named TXT", "notas.txt", lambda: b"MZ\x90\0\3\0\0\0" + bytes(4096), (UNSUPPORTED,)
    ),
    HostileFile("CSV, 0 bytes", "nada.csv", bytes),
    HostileFile("CSV, white space only", "blanco.csv", lambda: b" ; ;\r\n" * 100_000),
    HostileFile(
        "CSV, 50 MB on one line", "linea.csv", lambda: exactly("uno,dos,", UPLOAD_MAX_BYTES)
    ),
    HostileFile(
        "CSV, a quote never closed",
        "comilla.csv",
        lambda: b'a,b\n1,"' + repeated("texto sin fin\n", 20 * MEGABYTE),
    ),
    HostileFile(
        "CSV, 100,000 columns",
        "columnas.csv",
        lambda: b"".join(
            ";".join(f"{word}{n}" for n in range(100_000)).encode() + b"\n"
            for word in ("c", "v", "w")
        ),
        EITHER,
    ),
    HostileFile("CSV, 5 million rows", "filas.csv", lambda: b"uno;2\n" * 5_000_000),
    HostileFile("Markdown, 0 bytes", "nada.md", bytes),
    HostileFile("Markdown, white space only", "blanco.md", lambda: b"\n  \n" * MEGABYTE),
    HostileFile("Markdown, 10 MB of [", "corchetes.md", lambda: markdown_of("["), EITHER),
    HostileFile("Markdown, 10 MB of ![](", "imagenes.md", lambda: markdown_of("![]("), EITHER),
    HostileFile("Markdown, 10 MB of *a _", "enfasis.md", lambda: markdown_of("*a _"), EITHER),
    HostileFile(
        "Markdown, 10 MB of quotes",
        "citas.md",
        lambda: repeated(">" * 9999 + "\n", 10 * MEGABYTE),
        EITHER,
    ),
    HostileFile(
        "Markdown, lists in lists",
        "listas.md",
        lambda: b"".join(b" " * 2 * depth + b"- a\n" for depth in range(3000)),
        EITHER,
    ),
    HostileFile(
        "Markdown, backticks of every length",
        "comillas.md",
        lambda: b"".join(b"`" * length + b"a" for length in range(1, 3000)),
        EITHER,
    ),
    HostileFile(
        "Markdown, settings without end",
        "ajustes.md",
        lambda: b"---\n" + b"- : x\n" * 100_000,
        EITHER,
    ),
    HostileFile(
        "Markdown, settings without end, CRLF",
        "ajustes2.md",
        lambda: b"---\r\n" + b"- punto\r\n" * 1000,
        (SYNCED,),
    ),
    HostileFile("Markdown, 50 MB", "largo.md", lambda: exactly(SENTENCE, UPLOAD_MAX_BYTES)),
    HostileFile("HTML, 0 bytes", "nada.html", bytes),
    HostileFile("HTML without text", "blanco.html", lambda: html_of("<p> </p>" * 100_000)),
    HostileFile("HTML, 20 MB", "largo.html", html_of_20_megabytes, (SYNCED, TOO_SLOW)),
    HostileFile(
        "HTML, 100,000 divs in each other",
        "divs.html",
        lambda: html_of("<div>" * 100_000 + SENTENCE * 20),
        EITHER,
    ),
    HostileFile(
        "HTML, 100,000 tables in each other",
        "tablas.html",
        lambda: html_of("<table><tr><td>" * 100_000 + SENTENCE * 20),
        EITHER,
    ),
    HostileFile(
        "HTML, cell over a million columns and rows",
        "celda.html",
        lambda: html_of(
            "<table>"
            + '<tr><td colspan="1000000" rowspan="1000000">a</td><td>b</td></tr>' * 1000
            + "</table>"
        ),
        EITHER,
    ),
    HostileFile("HTML named PDF", "pagina.pdf", lambda: html_of(SENTENCE), (UNSUPPORTED,)),
)
