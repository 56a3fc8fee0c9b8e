"""Errors of accounts. Codes are those of docs/specification.md, "Errors".

WrongGuess                    counts against account and address (accounts/signing_in/guessing.py)
├── InvalidCredentials        401 INVALID_CREDENTIALS
├── IncorrectPassword         401 INCORRECT_PASSWORD
├── WrongOtp                  401 INVALID_OTP
└── WrongActivationPassword   400 ACTIVATION_FAILED
"""

from django.utils.translation import gettext_noop

from config.errors import (
    Conflict,
    Forbidden,
    NotFound,
    ServiceError,
    ServiceUnavailable,
    Unauthorized,
)


class InvalidToken(Unauthorized):
    """A token that is malformed, forged, expired or of the wrong type."""


class MembershipGone(Unauthorized):
    """A genuine access token whose session has gone with its membership."""


class SomethingIsLeft(Exception):
    """An erasure after which the search still found the person, in these columns.

    Not a ServiceError: the receipt stays open and a worker tries again, so callers choose what to
    say.
    """

    def __init__(self, places: list[str]) -> None:
        super().__init__(f"Something is left in {', '.join(places)}.")


# --- Wrong guesses --------------------------------------------------------------------------------


class WrongGuess(ServiceError):
    """A wrong secret, which may be a guess."""


class InvalidCredentials(WrongGuess, Unauthorized):
    """An unknown address, a wrong password and a disabled person, which all answer alike."""

    code = "INVALID_CREDENTIALS"
    default_message = "Wrong e-mail or password."


class IncorrectPassword(WrongGuess, Unauthorized):
    code = "INCORRECT_PASSWORD"
    default_message = "The current password is wrong."


class InvalidOtp(Unauthorized):
    """A wrong code, an expired or used one, and an address that has none, which all answer alike.

    Raised as it is when nobody guessed: sending the right code twice, as a double click does,
    does not slow anybody down.
    """

    code = "INVALID_OTP"
    default_message = "The code is wrong or has expired. Ask for a new one."


class WrongOtp(WrongGuess, InvalidOtp):
    """A wrong code that counts as a guess; answers like InvalidOtp."""


class ActivationFailed(ServiceError):
    """A link that cannot be used, for any reason. Its token has too many bits to be guessed."""

    code = "ACTIVATION_FAILED"
    status = 400
    default_message = (
        "The activation link is invalid, has been used or has expired, or the password is"
        " not the one that you already use with us. Enter that password, or ask for a new"
        " invitation."
    )


class WrongActivationPassword(WrongGuess, ActivationFailed):
    """A wrong password at an activation, counted: the link of a person with an account lets one
    guess."""


class ActivationBroke(ServiceError):
    """A failure on our side. The link was right and stays valid."""

    code = "ACTIVATION_FAILED"
    status = 500
    default_message = "The activation failed on our side. Your link still works: try again."


# --- Logging in -----------------------------------------------------------------------------------


class NoWorkspaceAccess(ServiceError):
    code = "NO_WORKSPACE_ACCESS"
    status = 403
    default_message = "You are not a member of this workspace, or of any workspace."


class InvalidOtpPurpose(ServiceError):
    code = "INVALID_OTP_PURPOSE"
    status = 400
    default_message = "This purpose is not available for this e-mail address."


class OtpSendFailed(ServiceError):
    code = "OTP_SEND_FAILED"
    status = 500
    default_message = gettext_noop("The code could not be sent. Try again in a minute.")
    retryable = True


class TwoFactorRequired(ServiceError):
    code = "TWO_FACTOR_REQUIRED"
    status = 403
    default_message = "This account uses two-factor authentication: log in with your password."


class NoPasswordSet(ServiceError):
    code = "NO_PASSWORD_SET"
    status = 400
    default_message = "This account has no password yet. Request a reset code to set one."


class WeakPassword(ServiceError):
    code = "WEAK_PASSWORD"
    status = 400
    default_message = "The password is too weak."


# --- The second factor ----------------------------------------------------------------------------


class ChallengeOver(InvalidToken):
    """A challenge that is not valid, or not any longer. Does not say why."""

    default_message = "The login took too long, or the account has changed. Log in again."


class TwoFactorUnreadable(ServiceUnavailable):
    """A second factor whose key an operator has removed from CHANNEL_ENCRYPTION_KEYS."""

    default_message = (
        "Codes from the app cannot be checked right now. Use a recovery code, or contact support."
    )


class TwoFactorIsOn(Conflict):
    default_message = "Two-factor authentication is on. Disable it to set it up again."


class TwoFactorIsOff(Conflict):
    default_message = "Two-factor authentication is off."


class TwoFactorSetupRequired(ServiceError):
    code = "TWO_FACTOR_SETUP_REQUIRED"
    status = 403
    default_message = (
        "This workspace requires two-factor authentication: set it up with POST /auth/2fa/setup,"
        " or in the dashboard."
    )


class TwoFactorNotSetUp(Conflict):
    default_message = "Two-factor authentication is not set up yet: call POST /auth/2fa/setup."


# --- Tenants and members --------------------------------------------------------------------------


class EmailAlreadyRegistered(ServiceError):
    code = "EMAIL_ALREADY_REGISTERED"
    status = 409
    default_message = "This e-mail address already belongs to the admin of another workspace."


class InvalidSlug(ServiceError):
    code = "INVALID_SLUG"
    status = 400
    default_message = "A slug has 3 to 63 letters, digits and hyphens."


class SlugAlreadyInUse(ServiceError):
    code = "SLUG_ALREADY_IN_USE"
    status = 409
    default_message = "This slug is already taken."


class AlreadyMember(Conflict):
    default_message = "This person is already a member."


class InvalidRole(ServiceError):
    code = "INVALID_ROLE"
    status = 400
    default_message = "The role must be one of: admin, member, viewer, api_user."


class UserNotFound(NotFound):
    code = "USER_NOT_FOUND"
    default_message = "This workspace has no such member."


class SessionNotFound(NotFound):
    """A session of somebody else, or one that has ended already, which answer alike."""

    default_message = "This session does not exist or has ended."


class MembershipNotFound(NotFound):
    code = "MEMBERSHIP_NOT_FOUND"
    default_message = gettext_noop("You are no longer a member of this workspace.")


class StaffStays(Forbidden):
    """An attempt to erase one of our staff, whose actions keep their name, since they are an
    employee and not a customer."""

    default_message = "Accounts of our staff cannot be erased."


class CannotRemoveLastAdmin(Conflict):
    code = "CANNOT_REMOVE_LAST_ADMIN"
    default_message = gettext_noop(
        "A workspace needs at least one admin: make somebody else an admin first."
    )


class CannotRemoveSelf(Conflict):
    code = "CANNOT_REMOVE_SELF"
    default_message = "You cannot remove yourself. Leave the workspace instead."


class ExportUnderWay(Conflict):
    code = "EXPORT_UNDER_WAY"
    default_message = gettext_noop("An export is already being prepared. Wait until it is ready.")


class ExportNotFound(NotFound):
    code = "EXPORT_NOT_FOUND"
    default_message = "This export has expired or has been replaced by a newer one."


class WrongWorkspaceName(ServiceError):
    code = "WRONG_WORKSPACE_NAME"
    status = 400
    default_message = "This is not the short name of this workspace. Nothing was changed."


class DeletionBegun(Conflict):
    code = "DELETION_BEGUN"
    default_message = "The deletion of this workspace has begun and can no longer be stopped."


class CompanyProfileNotFound(NotFound):
    code = "COMPANY_PROFILE_NOT_FOUND"
    default_message = "This workspace has no company profile yet."


# --- Programs that people let in ------------------------------------------------------------------


class InvalidProgramRequest(ServiceError):
    """A request whose program or return address is not known, so that nobody is sent anywhere."""

    code = "INVALID_PROGRAM_REQUEST"
    status = 400
    default_message = "The program's request is not valid. Start again in the program."


class UnreadableDocument(InvalidProgramRequest):
    """A program whose id is an address, and whose description there cannot be read."""

    default_message = "The program's description of itself cannot be read."


class ReturnToProgram(Exception):
    """A refusal that the program is told when the person is sent back to it.

    `url` may be of an app's own scheme.
    """

    def __init__(self, url: str) -> None:
        super().__init__("The program's request was refused.")
        self.url = url


class InvalidRegistration(ServiceError):
    """A registration with impossible metadata; `error` is its word in RFC 7591."""

    code = "VALIDATION_ERROR"
    status = 400
    error = "invalid_client_metadata"


class InvalidRedirectUri(InvalidRegistration):
    error = "invalid_redirect_uri"
    default_message = (
        "redirect_uris: use https, http on 127.0.0.1, [::1] or localhost, or an app's own"
        " scheme that contains a dot; without a fragment or a user name."
    )


class InsufficientScope(Forbidden):
    """A request that the program has no permission for."""

    default_message = (
        "This program is not allowed to do that. Reconnect it and grant the permission."
    )


# --- Requests that are sent again -----------------------------------------------------------------


class IdempotencyKeyReused(ServiceError):
    code = "IDEMPOTENCY_KEY_REUSED"
    status = 422
    default_message = (
        "This Idempotency-Key was already used for another request. Use a new one for each request."
    )


class RequestInProgress(Conflict):
    """An Idempotency-Key whose first request has not been answered yet."""

    code = "IDEMPOTENT_REQUEST_IN_PROGRESS"
    default_message = (
        "The first request with this Idempotency-Key is still being processed. Send it"
        " again in a few seconds."
    )
    retryable = True

    def __init__(self) -> None:
        super().__init__(headers={"Retry-After": "5"})
