r"""Google Drive's connector against a stand-in that others wrote: google-drive-mock 1.2.0 of npm.

    npm install google-drive-mock@1.2.0 cors express
    PORT=3000 node node_modules/google-drive-mock/dist/index.js
    python -P -m config.running.launch --scratch var/bench \
        python -m bench.connectors.google_drive_mock --host 127.0.0.1:3000

It knows files, downloads and one change log; no sign-in, shared drives, exports or trash, and no
"root". So: a first sync, one in which nothing has changed, and one with a new file.
"""

# Django is set up in between: the imports below it need it.
# ruff: noqa: E402

from __future__ import annotations

import argparse
import json
import os
import urllib.request
import uuid
from collections import Counter
from unittest.mock import patch

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.conf import settings

from connectors.google_drive import connector as google_drive
from sources.connectors import remote
from sources.connectors.calling import FixedHeaders
from sources.models import Connection, Source
from sources.tests.connectors.context import FakeRun

HEADERS = {"Authorization": "Bearer valid-token"}  # one of the two that it takes
FOLDER = {"name": "Handbook", "mimeType": "application/vnd.google-apps.folder"}


def post(url: str, kind: str, body: str) -> str:
    """The id of what was made."""
    headers = {**HEADERS, "Content-Type": kind}
    request = urllib.request.Request(url, body.encode(), headers)  # noqa: S310 - of our own
    with urllib.request.urlopen(request) as answer:  # noqa: S310
        return str(json.load(answer)["id"])


def upload(url: str, folder: str, *, name: str, text: str) -> None:
    """A multipart upload (developers.google.com/workspace/drive/api/guides/manage-uploads)."""
    metadata = json.dumps({"name": name, "mimeType": "text/plain", "parents": [folder]})
    parts = (("application/json", metadata), ("text/plain", text))
    body = "".join(f"--part\r\nContent-Type: {kind}\r\n\r\n{each}\r\n" for kind, each in parts)
    address = f"{url}/upload/drive/v3/files?uploadType=multipart"
    post(address, "multipart/related; boundary=part", f"{body}--part--")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1:3000")
    host = parser.parse_args().host
    url = f"http://{host}"
    settings.FETCH_ALLOWED_HOSTS, settings.GOOGLE_API_URL = [host], url

    folder = post(f"{url}/drive/v3/files", "application/json", json.dumps(FOLDER))
    for name in ("Rates", "Beach"):
        upload(url, folder, name=f"{name}.txt", text=f"A text about {name}.")
    source = Source(
        connection=Connection(id=uuid.uuid4(), tenant_id=uuid.uuid4()),
        selection={"chosen": [{"id": folder, "name": "Handbook"}]},
    )
    run = FakeRun()
    opened_by = patch.object(remote, "SignedIn", lambda *_: FixedHeaders(HEADERS))
    for sync in ("first", "nothing changed", "one new"):
        if sync == "one new":
            upload(url, folder, name="Menu.txt", text="Soup on Mondays.")
        with opened_by:
            items = list(google_drive.GoogleDriveConnector().read(source, run))
        run = run.next(items)
        print(sync, dict(Counter(type(item).__name__ for item in items)))


if __name__ == "__main__":
    main()
