"""The members of the workspace, and their programs."""

import uuid

from django.core.paginator import Paginator
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.errors import AlreadyMember, TwoFactorIsOff
from accounts.models import Membership
from accounts.services import api_tokens, invitations, members
from accounts.services.api_tokens import MAX_TOKENS, NewApiToken
from accounts.services.signing_in import two_factor
from config.errors import Conflict, ServiceError
from dashboard.problems import describe_problem
from dashboard.workspace.base import WorkspaceView
from dashboard.workspace.forms import ROLE_NAMES, ConfirmationForm, InviteForm, TokenForm

PAGE_ROWS = 50


class PeopleView(WorkspaceView):
    """The list; posting to it invites."""

    tab = "workspace_people"

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.answer_with(InviteForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        form = InviteForm(request.POST)
        if form.is_valid():
            email = form.cleaned_data["email"]
            try:
                invitations.invite_member(
                    self.tenant,
                    email=email,
                    role=form.cleaned_data["role"],
                    inviter=self.caller.user,
                )
            except AlreadyMember:
                form.add_error("email", _("This person is already a member or has been invited."))
            except ServiceError as error:
                form.add_error(None, describe_problem(error))
            else:
                said = _("%(email)s has been invited and will get a link by e-mail.") % {
                    "email": email
                }
                return self.go_to("workspace_people", said=said)
        return self.answer_with(form, status=400)

    def answer_with(self, form: Form, status: int = 200) -> HttpResponse:
        everybody = Paginator(members.list_members(self.tenant), PAGE_ROWS)
        page = everybody.get_page(self.request.GET.get("page"))
        return self.show(
            "people.html",
            status,
            form=form,
            page=page,
            with_factor=members.list_factors(page),
            has_two_factor=self.caller.user.has_second_factor(),
            roles=ROLE_NAMES.items(),
            now=timezone.now(),
        )


class RequirementView(WorkspaceView):
    """Sets whether everybody in the workspace needs a second factor."""

    tab = "workspace_people"

    def post(self, request: HttpRequest) -> HttpResponse:
        is_required = request.POST.get("required") == "yes"
        try:
            two_factor.require_two_factor(
                self.tenant, is_required=is_required, by=self.caller.membership
            )
        except TwoFactorIsOff:
            return self.refuse(_("Turn two-factor authentication on for yourself first."))
        if is_required:
            said = _("From now on everyone here needs two-factor authentication.")
        else:
            said = _("Two-factor authentication is no longer required here.")
        return self.go_to("workspace_people", said=said)


class MemberView(WorkspaceView):
    """An action on one of them. Subclasses define `act`."""

    tab = "workspace_people"

    def post(self, request: HttpRequest, user_id: uuid.UUID) -> HttpResponse:
        member = members.get_member(self.tenant, user_id)
        try:
            return self.go_to("workspace_people", said=self.act(member))
        except ServiceError as error:
            return self.refuse(describe_problem(error))

    def act(self, member: Membership) -> str:
        """Acts on the member and returns the message to show."""
        raise NotImplementedError


class RoleView(MemberView):
    def act(self, member: Membership) -> str:
        role = self.request.POST.get("role", "")
        changed = members.change_role(self.tenant, member.user_id, role, by=self.caller.membership)
        return _("New role of %(email)s: %(role)s.") % {
            "email": changed.user.email,
            "role": ROLE_NAMES[changed.role],
        }


class InvitationView(MemberView):
    def act(self, member: Membership) -> str:
        invitations.resend_invitation(self.tenant, member.user_id, inviter=self.caller.user)
        return _("%(email)s will get another link by e-mail.") % {"email": member.user.email}


class RemovalView(MemberView):
    def post(self, request: HttpRequest, user_id: uuid.UUID) -> HttpResponse:
        member = members.get_member(self.tenant, user_id)
        if not is_confirmed(request, member.user.email):
            return self.refuse(_("That address does not match. Nobody was removed."))
        return super().post(request, user_id)

    def act(self, member: Membership) -> str:
        members.remove_member(self.tenant, member.user_id, by=self.caller.membership)
        return _("%(email)s is no longer in this workspace.") % {"email": member.user.email}


def is_confirmed(request: HttpRequest, name: str) -> bool:
    form = ConfirmationForm(request.POST)
    return form.is_valid() and form.cleaned_data["confirmation"].casefold() == name.casefold()


class TokensView(WorkspaceView):
    """The list; posting to it makes one, and shows it this once."""

    tab = "workspace_tokens"

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.answer_with(TokenForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        form = TokenForm(request.POST)
        if not form.is_valid():
            return self.answer_with(form, status=400)
        try:
            made = api_tokens.create_api_token(
                self.tenant,
                self.caller.membership,
                name=form.cleaned_data["name"],
                expires_in_days=form.cleaned_data["days"],
            )
        except Conflict:
            form.add_error(
                None,
                _("A workspace can have at most %(count)s API tokens. Revoke one first.")
                % {"count": MAX_TOKENS},
            )
            return self.answer_with(form, status=400)
        return self.answer_with(TokenForm(), made=made)

    def answer_with(
        self, form: Form, status: int = 200, made: NewApiToken | None = None
    ) -> HttpResponse:
        tokens = api_tokens.list_api_tokens(self.tenant)
        return self.show(
            "tokens.html", status, form=form, tokens=tokens, made=made, now=timezone.now()
        )


class RevocationView(WorkspaceView):
    tab = "workspace_tokens"

    def post(self, request: HttpRequest, token_id: uuid.UUID) -> HttpResponse:
        api_tokens.revoke_api_token(self.tenant, token_id)
        return self.go_to(
            "workspace_tokens", said=_("The token has been revoked and no longer gives access.")
        )
