from accounts.models.people import Membership, Role, Session, User
from accounts.models.tenants import Plan, ScheduleFrequency, Tenant

__all__ = ["Membership", "Plan", "Role", "ScheduleFrequency", "Session", "Tenant", "User"]
