"""Why something of Google Drive is not read, in words for the customer."""

from reasons import Reason

NO_SCOPE = Reason("drive_right_missing")
UNREADABLE = "Google Drive sent an answer that cannot be read. Try again later."
NOT_THERE = Reason("drive_file_gone")
GONE = Reason("drive_choice_gone")
LEADS_NOWHERE = Reason("drive_shortcut_broken")
NO_PERMISSION = Reason("drive_download_forbidden")
EXPORT_TOO_LARGE = Reason("drive_export_too_large")
HARMFUL = Reason("drive_file_harmful")
CHANGED_MEANWHILE = Reason("changed_while_read")
