"""The operations on sources that the API, the commands and the dashboard offer."""

from config.connections import release_connection
from sources.services.checking import check_account_fields, check_website
from sources.services.connections import (
    begin_sign_in,
    browse,
    connect_account,
    disconnect,
    finish_sign_in,
    get_connection,
    list_connections,
    list_sources_of,
    measure,
)
from sources.services.creating import change_selection, create_connected_source, create_source
from sources.services.editing import delete_source, rename_source, reorder_sources
from sources.services.entries import (
    add_entry,
    change_entry,
    delete_entry,
    find_entries_source,
    get_entry,
    list_entries,
)
from sources.services.freshness import (
    Freshness,
    count_freshness,
    freshness_of,
    list_frequencies,
)
from sources.services.new_sources import POSITION_MAX
from sources.services.ordering import Step, move_source, place_source
from sources.services.reading import (
    HistoryEntry,
    count_documents,
    get_passage,
    get_source,
    has_indexed,
    list_documents,
    list_first_passages,
    list_history,
    list_neighbours,
    list_preview,
    list_read_in_part,
    list_sources,
    list_warnings,
)
from sources.services.scheduling import get_schedule, set_schedule
from sources.services.syncing import start_sync
from sources.services.uploads import (
    begin_upload,
    create_upload,
    discard_upload,
    ingest_file,
    settle_upload,
    upload_file,
)
from sources.services.usage import Quota, Usage, get_usage

__all__ = [
    "POSITION_MAX",
    "Freshness",
    "HistoryEntry",
    "Quota",
    "Step",
    "Usage",
    "add_entry",
    "begin_sign_in",
    "browse",
    "change_selection",
    "check_account_fields",
    "connect_account",
    "create_connected_source",
    "disconnect",
    "finish_sign_in",
    "get_connection",
    "list_connections",
    "list_sources_of",
    "measure",
    "begin_upload",
    "change_entry",
    "check_website",
    "count_documents",
    "count_freshness",
    "create_source",
    "create_upload",
    "delete_entry",
    "delete_source",
    "discard_upload",
    "freshness_of",
    "find_entries_source",
    "get_entry",
    "get_passage",
    "get_schedule",
    "get_source",
    "get_usage",
    "has_indexed",
    "ingest_file",
    "list_documents",
    "list_first_passages",
    "list_frequencies",
    "list_entries",
    "list_history",
    "list_neighbours",
    "list_preview",
    "list_read_in_part",
    "list_sources",
    "list_warnings",
    "move_source",
    "place_source",
    "release_connection",
    "rename_source",
    "reorder_sources",
    "set_schedule",
    "settle_upload",
    "start_sync",
    "upload_file",
]
