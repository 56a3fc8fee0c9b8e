"""The registry of the kinds of sources. Everything that lists them (the API, its description, the
services) goes through here, in this order."""

from __future__ import annotations

from sources.connectors.google_drive.connector import GoogleDriveConnector
from sources.connectors.interface import Connector
from sources.connectors.json_api.connector import JsonApiConnector
from sources.connectors.microsoft_graph.connector import MicrosoftGraphConnector
from sources.connectors.notion.connector import NotionConnector
from sources.connectors.odata.connector import ODataConnector
from sources.connectors.odoo.connector import OdooConnector
from sources.connectors.unbuilt import NotBuilt
from sources.connectors.upload.connector import UploadConnector
from sources.connectors.web.connector import WebConnector
from sources.connectors.whatsapp_business.connector import WhatsAppBusinessConnector
from sources.models import AUDIO, FILE, Source

CONNECTORS: dict[str, Connector] = {
    connector.kind: connector
    for connector in (
        UploadConnector(FILE, "Document"),
        GoogleDriveConnector(),
        MicrosoftGraphConnector(),
        NotionConnector(),
        WebConnector(),
        WhatsAppBusinessConnector(),
        OdooConnector(),
        ODataConnector(),
        JsonApiConnector(),
        UploadConnector(AUDIO, "Recording"),
    )
}
KINDS = tuple(CONNECTORS)
CREATED_KINDS = tuple(kind for kind in KINDS if not CONNECTORS[kind].is_uploaded)
CHECKED_KINDS = tuple(kind for kind in KINDS if CONNECTORS[kind].can_be_checked)


def get_connector(source: Source) -> Connector:
    """The connector of a source, also for a kind that a newer version has written."""
    kind = source.source_type
    return CONNECTORS.get(kind) or NotBuilt(kind)
