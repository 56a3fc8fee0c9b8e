"""Errors of accounts. Codes are those of the interface specification, "Errors"."""

from config.errors import Conflict, ServiceError, Unauthorized


class InvalidToken(Unauthorized):
    """A token that is malformed, forged, expired or of the wrong type."""


class InvalidCredentials(Unauthorized):
    """One answer for an unknown address, a wrong password and a disabled person."""

    code = "INVALID_CREDENTIALS"
    default_message = "Wrong e-mail or password."


class NoWorkspaceAccess(ServiceError):
    code = "NO_WORKSPACE_ACCESS"
    status = 403
    default_message = "You are not a member of this workspace, or of any."


class AlreadyMember(Conflict):
    default_message = "This person is a member already."


class InvalidRole(ServiceError):
    code = "INVALID_ROLE"
    status = 400
    default_message = "The role must be one of: admin, member, viewer, api_user."


class InvalidSlug(ServiceError):
    code = "INVALID_SLUG"
    status = 400
    default_message = "A slug is 3 to 63 letters, digits and hyphens."


class SlugAlreadyInUse(ServiceError):
    code = "SLUG_ALREADY_IN_USE"
    status = 409
    default_message = "There is a tenant with this slug already."


class WeakPassword(ServiceError):
    code = "WEAK_PASSWORD"
    status = 400
    default_message = "The password is too weak."
