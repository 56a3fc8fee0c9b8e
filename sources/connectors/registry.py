"""Which kinds of sources there are. Whatever lists them (the API, its description, the services)
goes through here, in this order."""

from __future__ import annotations

from sources.connectors.interface import Connector
from sources.connectors.json_api.connector import JsonApiConnector
from sources.connectors.unbuilt import NotBuilt
from sources.connectors.upload.connector import UploadConnector
from sources.connectors.web.connector import WebConnector
from sources.models import AUDIO, FILE, Source

CONNECTORS: dict[str, Connector] = {
    connector.kind: connector
    for connector in (
        UploadConnector(FILE, "Document"),
        NotBuilt("cloud_drive_a", "Google Drive", signs_in=True),
        NotBuilt("cloud_drive_b", "OneDrive and SharePoint", signs_in=True),
        NotBuilt("notes_app", "Notion"),
        WebConnector(),
        NotBuilt("messenger_b", "WhatsApp Business"),
        NotBuilt("erp_a", "Odoo"),
        NotBuilt("erp_b", "OData"),
        JsonApiConnector(),
        UploadConnector(AUDIO, "Recording"),
    )
}
KINDS = tuple(CONNECTORS)
CREATED_KINDS = tuple(kind for kind in KINDS if not CONNECTORS[kind].is_uploaded)
CHECKED_KINDS = tuple(kind for kind in KINDS if CONNECTORS[kind].can_be_checked)


def get_connector(source: Source) -> Connector:
    """Also for a kind that a newer version has written."""
    kind = source.source_type
    return CONNECTORS.get(kind) or NotBuilt(kind, kind)
