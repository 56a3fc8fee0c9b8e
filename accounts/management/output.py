"""Output of the management commands of accounts."""

from accounts.services.tenants import NewMember


def member_output(made: NewMember) -> dict[str, str | bool]:
    """A member as one flat JSON object: never with the password."""
    user = made.membership.user
    return {
        "tenant_id": str(made.tenant.id),
        "tenant_slug": made.tenant.slug,
        "user_id": str(user.id),
        "email": user.email,
        "role": made.membership.role,
        "created": made.is_new_user,
    }
