"""Any JSON over HTTPS as a source: the items of a list become documents."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from itertools import islice
from typing import Any

from django.utils.translation import gettext_noop

from sources.connectors.calling import Api, CallRefused, FixedHeaders
from sources.connectors.interface import (
    Account,
    Amount,
    Checked,
    Connector,
    Failed,
    Item,
    KnownDocument,
    SyncContext,
)
from sources.connectors.json_api.fields import (
    FIELDS,
    Endpoint,
    Shape,
    read_endpoint,
    read_shape,
)
from sources.connectors.json_api.listing import Listing
from sources.connectors.json_api.pages import NoList, Page, Pages, PagingStopped
from sources.connectors.json_api.records import NoRecord, read_body, to_document
from sources.connectors.remote import RemoteDocument, read_documents
from sources.errors import (
    ConnectionRefused,
    OriginUnavailable,
    ReauthRequired,
    SyncFailed,
)
from sources.models import Connection, Source
from sources.oauth.tokens import open_account
from sources.reading.passages import ReadDocument

COUNT_SECONDS = 5.0
SHOWN_PASSAGES = 3  # before there is a source
LABEL_MAX_CHARS = 200
SELECTION = tuple(each.name for each in FIELDS if each.is_selection)
CREDENTIALS = tuple(each.name for each in FIELDS if not each.is_selection)
