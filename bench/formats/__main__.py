"""Whether what offices write is read whole.

    .venv/bin/python -m bench.formats                     # files made here; 1 on an untold loss
    .venv/bin/python -m bench.formats FOLDER …            # real ones: what two readers agree on
    .venv/bin/python -m bench.formats --peers [FOLDER …]  # beside markitdown and unstructured
    .venv/bin/python -m bench.formats --catalogue         # what each made file is about

Readers and peers run in virtual environments of their own below FORMATS_DIR (var/formats), which
are made at first use.
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path

import django

SETTINGS = {
    "ENVIRONMENT": "development",
    "DJANGO_SETTINGS_MODULE": "config.settings",
    # Settings want them; nothing here connects.
    "DATABASE_URL": "postgres://nobody@127.0.0.1:1/none",
    "REDIS_URL": "redis://127.0.0.1:1",
}


def main() -> int:
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    with tempfile.TemporaryDirectory(prefix="formats-") as folder:
        os.environ.setdefault("DATA_DIR", folder)
        django.setup()
        logging.getLogger().setLevel(logging.ERROR)
        logging.getLogger("sources.reading.extract").setLevel(logging.INFO)
        logging.getLogger("sources.reading.extract").propagate = False
        from bench.formats.run import run  # after Django's setup

        return run(arguments(), Path(folder))


def arguments() -> Namespace:
    parser = ArgumentParser(prog="bench.formats", description=__doc__)
    parser.add_argument("given", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument(
        "--peers", action="store_true", help="read by markitdown and unstructured too"
    )
    parser.add_argument(
        "--kind", action="append", help="only files of this kind (docx); may be repeated"
    )
    parser.add_argument(
        "--most", type=int, help="so many files of each kind, evenly over their names"
    )
    parser.add_argument(
        "--losses", type=Path, metavar="FILE", help="write every loss there, worst first"
    )
    parser.add_argument(
        "--catalogue", action="store_true", help="list the made files and what each is about"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
