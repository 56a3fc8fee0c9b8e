"""Our staff's view of tenants and people. It is over all tenants, so tenants come first everywhere.

Neither secrets nor their hashes are shown.
"""

from accounts.admin import (
    activity,
    mails,
    people,
    programs,
    proofs,
    requests,
    staff,
    start_cards,
    tenants,
)

__all__ = [
    "activity",
    "mails",
    "people",
    "programs",
    "proofs",
    "requests",
    "staff",
    "start_cards",
    "tenants",
]
