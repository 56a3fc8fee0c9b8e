from accounts.models.activity import (
    Action,
    ActivityEntry,
    ExportFailure,
    ExportState,
    WorkspaceExport,
)
from accounts.models.erasures import AskedBy, ErasureKind, ErasureReceipt
from accounts.models.mails import OutgoingMail
from accounts.models.people import ApiToken, Membership, Role, Session, User
from accounts.models.person_exports import PersonExport
from accounts.models.programs import AuthMethod, Program, ProgramAccess, ProgramCode, Scope
from accounts.models.proofs import CodeAlarm, OneTimeCode, Purpose, RecoveryCode, Signup, TwoFactor
from accounts.models.requests import IdempotentRequest
from accounts.models.staff import StaffAccess, StaffSession
from accounts.models.tenants import Language, Plan, ScheduleFrequency, Tenant
from accounts.models.usage import CompanyProfile, UsageCounter

__all__ = [
    "Action",
    "ActivityEntry",
    "ApiToken",
    "AskedBy",
    "AuthMethod",
    "CodeAlarm",
    "CompanyProfile",
    "ErasureKind",
    "ErasureReceipt",
    "ExportFailure",
    "ExportState",
    "IdempotentRequest",
    "Language",
    "Membership",
    "OneTimeCode",
    "OutgoingMail",
    "PersonExport",
    "Plan",
    "Program",
    "ProgramAccess",
    "ProgramCode",
    "Purpose",
    "RecoveryCode",
    "Role",
    "ScheduleFrequency",
    "Scope",
    "Session",
    "Signup",
    "StaffAccess",
    "StaffSession",
    "Tenant",
    "TwoFactor",
    "UsageCounter",
    "User",
    "WorkspaceExport",
]
