"""The words for activity entries: actions, who did them, and what was changed."""

from datetime import datetime

from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import Action, ActivityEntry, Role, ScheduleFrequency
from accounts.models.activity import BY_SERVICE, BY_STAFF
from dashboard.kinds import name_channel

ACTIONS: dict[str, Promise] = {
    Action.SIGN_IN: gettext_lazy("Signed in"),
    Action.SIGN_OUT: gettext_lazy("Signed out"),
    Action.SESSION_ENDED: gettext_lazy("A session was ended"),
    Action.PASSWORD_CHANGED: gettext_lazy("Password changed"),
    Action.TWO_FACTOR_ON: gettext_lazy("Two-factor turned on"),
    Action.TWO_FACTOR_OFF: gettext_lazy("Two-factor turned off"),
    Action.TWO_FACTOR_REQUIRED: gettext_lazy("Two-factor authentication required for everyone"),
    Action.TWO_FACTOR_OPTIONAL: gettext_lazy("Two-factor authentication no longer required"),
    Action.MEMBER_INVITED: gettext_lazy("Person invited"),
    Action.MEMBER_JOINED: gettext_lazy("Person joined"),
    Action.ROLE_CHANGED: gettext_lazy("Role changed"),
    Action.MEMBER_REMOVED: gettext_lazy("Person removed"),
    Action.MEMBER_LEFT: gettext_lazy("Person left"),
    Action.API_TOKEN_CREATED: gettext_lazy("API token created"),
    Action.API_TOKEN_REVOKED: gettext_lazy("API token revoked"),
    Action.PROGRAM_ALLOWED: gettext_lazy("Program given access"),
    Action.PROGRAM_REVOKED: gettext_lazy("Program’s access revoked"),
    Action.SOURCE_CREATED: gettext_lazy("Source added"),
    Action.SOURCE_RENAMED: gettext_lazy("Source renamed"),
    Action.FILE_REPLACED: gettext_lazy("File replaced by a new version"),
    Action.SOURCE_DELETED: gettext_lazy("Source deleted"),
    Action.SOURCE_SYNCED: gettext_lazy("Source synced manually"),
    Action.SELECTION_CHANGED: gettext_lazy("Content selection changed"),
    Action.ACCOUNT_CONNECTED: gettext_lazy("Account connected"),
    Action.ACCOUNT_RECONNECTED: gettext_lazy("Account connected again"),
    Action.ACCOUNT_DISCONNECTED: gettext_lazy("Account disconnected"),
    Action.SCHEDULE_CHANGED: gettext_lazy("Schedule changed"),
    Action.SOURCES_REORDERED: gettext_lazy("Sources reordered"),
    Action.ENTRY_ADDED: gettext_lazy("Question answered by the team"),
    Action.ENTRY_CHANGED: gettext_lazy("Answer by the team changed"),
    Action.ENTRY_DELETED: gettext_lazy("Answer by the team deleted"),
    Action.AGENT_CREATED: gettext_lazy("Agent created"),
    Action.AGENT_CHANGED: gettext_lazy("Agent changed"),
    Action.AGENT_DELETED: gettext_lazy("Agent deleted"),
    Action.SCOPE_CHANGED: gettext_lazy("Agent’s sources changed"),
    Action.CHANNEL_CONNECTED: gettext_lazy("Channel connected"),
    Action.CHANNEL_DISCONNECTED: gettext_lazy("Channel disconnected"),
    Action.LEADS_EXPORTED: gettext_lazy("Leads exported"),
    Action.WORKSPACE_RENAMED: gettext_lazy("Workspace renamed"),
    Action.WORKSPACE_CHANGED: gettext_lazy("Workspace settings changed"),
    Action.COMPANY_CHANGED: gettext_lazy("Company profile changed"),
    Action.EXPORT_ASKED: gettext_lazy("Export requested"),
    Action.EXPORT_DOWNLOADED: gettext_lazy("Export downloaded"),
    Action.DELETION_ASKED: gettext_lazy("Workspace deletion requested"),
    Action.DELETION_CANCELLED: gettext_lazy("Workspace deletion cancelled"),
    Action.STAFF_ACCESS_OPENED: gettext_lazy("Access to conversations and other content opened"),
    Action.STAFF_ACCESS_ENDED: gettext_lazy("Access to conversations and other content ended"),
}
ACTORS: dict[str, Promise] = {
    BY_STAFF: gettext_lazy("Our support team"),
    BY_SERVICE: gettext_lazy("The system"),
}
BEFORE_AND_AFTER = (("before", "after"), ("from", "to"))
SINGLE_DETAILS = ("role", "channel", "frequency", "count", "sources", "staff")
# For details that are not names: roles, channels, frequencies and columns of an agent.
VALUES: dict[str, Promise | str] = {
    Role.ADMIN: gettext_lazy("Admin"),
    Role.MEMBER: gettext_lazy("Member"),
    Role.VIEWER: gettext_lazy("Viewer"),
    Role.API_USER: gettext_lazy("API user"),
    ScheduleFrequency.MANUAL: gettext_lazy("manually"),
    ScheduleFrequency.HOURLY: gettext_lazy("every hour"),
    ScheduleFrequency.EVERY_SIX_HOURS: gettext_lazy("every 6 hours"),
    ScheduleFrequency.DAILY: gettext_lazy("daily"),
    ScheduleFrequency.WEEKLY: gettext_lazy("weekly"),
    "name": gettext_lazy("name"),
    "persona": gettext_lazy("instructions"),
    "welcome_msg": gettext_lazy("welcome message"),
    "status": gettext_lazy("status"),
    "allowed_origins": gettext_lazy("websites"),
    "cite_sources": gettext_lazy("citations"),
    "lead_capture_enabled": gettext_lazy("lead capture"),
    "lead_notification_email": gettext_lazy("e-mail address for leads"),
    "store_transcripts": gettext_lazy("storing of conversations"),
    "transcript_retention_days": gettext_lazy("retention period"),
}


def describe_action(entry: ActivityEntry) -> str:
    """An action that a newer version wrote is shown as it stands."""
    return str(ACTIONS.get(entry.action, entry.action))


def describe_actor(entry: ActivityEntry) -> str:
    return str(ACTORS.get(entry.actor, entry.actor))


def describe_details(entry: ActivityEntry) -> str:
    """The details of an entry in a few words; "" where the action says it all."""
    details = entry.details
    has_values = entry.action == Action.ROLE_CHANGED  # other changes are of names
    for before, after in BEFORE_AND_AFTER:
        if before in details and after in details:
            pair = (details[before], details[after])
            return " → ".join(describe_value(each) if has_values else str(each) for each in pair)
    if "fields" in details:
        return ", ".join(map(describe_value, details["fields"]))
    if "column" in details:
        told = (
            _("Column “%(name)s”: shown in answers")
            if details["is_told"]
            else _("Column “%(name)s”: hidden from answers")
        )
        return told % {"name": details["column"]}
    if "days" in details:
        return _("valid for %(days)s days") % {"days": details["days"]}
    if "until" in details:
        until = localtime(datetime.fromisoformat(details["until"]))
        return _("%(person)s, until %(time)s: “%(reason)s”") % {
            "person": details["staff"],
            "time": date_format(until, "H:i"),
            "reason": details["reason"],
        }
    return ", ".join(describe_value(details[name]) for name in SINGLE_DETAILS if name in details)


def describe_value(value: object) -> str:
    return str(VALUES.get(str(value)) or name_channel(str(value)))
