"""Why something of Google Drive is not read, in words for the customer."""

NO_SCOPE = (
    "Google Drive was connected without the right to see and download files."
    " Connect the account again, and leave that right ticked."
)
UNREADABLE = "Google Drive sent an answer that cannot be read. Try again later."
NOT_THERE = "This is not in Google Drive any more, or not shared with the connected account."
GONE = (
    "It was chosen, and is not there any more: deleted, in the trash, or no longer shared with the"
    " connected account."
)
LEADS_NOWHERE = (
    "This shortcut leads to something that was deleted, is in the trash, or is not shared with the"
    " connected account."
)
NO_PERMISSION = "Its owner does not allow the connected account to download it."
EXPORT_TOO_LARGE = (
    "Google exports documents of up to 10 MB, and this one is larger. Divide it, or download it"
    " there and upload it as a file."
)
HARMFUL = "Google considers this file harmful and does not let it be downloaded."
CHANGED_MEANWHILE = "It was changed while it was read. The next sync reads it."
