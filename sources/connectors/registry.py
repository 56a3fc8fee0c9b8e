"""Which connector reads a source."""

from sources.connectors.interface import Connector
from sources.connectors.unconnected import UnconnectedConnector
from sources.connectors.upload import UploadConnector
from sources.models import UPLOADED_TYPES, Source


def get_connector(source: Source) -> Connector:
    if source.source_type in UPLOADED_TYPES:
        return UploadConnector()
    return UnconnectedConnector(source.source_type)
