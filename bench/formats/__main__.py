"""Whether what offices write is read whole.

    .venv/bin/python -m bench.formats                     # files made here; 1 on an untold loss
    .venv/bin/python -m bench.formats FOLDER …            # real ones: what two readers agree on
    .venv/bin/python -m bench.formats --catalogue         # what each made file is about

The readers run in a virtual environment of their own below FORMATS_DIR (var/formats), which is made
at first use.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from bench.formats.product import ready_product


def main() -> int:
    options = arguments()
    with ready_product() as folder:
        from bench.formats.run import run  # after Django's setup

        return run(options, folder)


def arguments() -> Namespace:
    parser = ArgumentParser(prog="bench.formats", description=__doc__)
    parser.add_argument("given", nargs="*", type=Path, metavar="FOLDER")
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
