"""Which connector reads a source."""

from sources.connectors.interface import Connector
from sources.connectors.unconnected import UnconnectedConnector
from sources.connectors.upload import UploadConnector
from sources.connectors.web.connector import WebConnector
from sources.models import UPLOADED_TYPES, Source, SourceType


def get_connector(source: Source) -> Connector:
    if source.source_type in UPLOADED_TYPES:
        return UploadConnector()
    if source.source_type == SourceType.WEB:
        return WebConnector()
    return UnconnectedConnector(source.source_type)
