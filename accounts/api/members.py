"""The people of the caller's tenant, and how they come and go."""

from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import PublicAPIView, TenantAPIView, read_id, validated
from accounts.api.serializers.members import (
    ActivationInput,
    InvitationInput,
    MemberOutput,
    RoleInput,
)
from accounts.api.serializers.sessions import LoginOutput
from accounts.api.sessions import login_response
from accounts.errors import (
    ActivationBroke,
    ActivationFailed,
    AlreadyMember,
    CannotRemoveLastAdmin,
    CannotRemoveSelf,
    InvalidRole,
    MembershipGone,
    MembershipNotFound,
    UserNotFound,
    WeakPassword,
)
from accounts.models import User
from accounts.permissions import IsAdmin, IsPerson
from accounts.services import invitations, members
from accounts.signing_in.authentication import Caller, TokenAuthentication
from config.errors import InvalidValue, TooManyRequests
from config.rest.cursor_pages import PAGES, answer_page
from config.rest.openapi import describe
from config.security.client_address import client_address


class MemberListView(TenantAPIView):
    permission_classes = [IsAdmin]

    @describe(
        "List the members",
        response=MemberOutput(many=True),
        errors=(InvalidValue,),
        parameters=PAGES,
    )
    def get(self, request: Request) -> Response:
        found = members.list_members(self.tenant)
        return answer_page(request, found, MemberOutput, owner=self.tenant)

    @describe(
        "Invite somebody",
        request=InvitationInput,
        response=MemberOutput,
        status=201,
        errors=(InvalidRole, AlreadyMember, TooManyRequests),
    )
    def post(self, request: Request) -> Response:
        given = validated(InvitationInput, request.data)
        invited = invitations.invite_member(
            self.tenant, email=given["email"], role=given["role"], inviter=self.caller.user
        )
        return Response(MemberOutput(invited).data, status=status.HTTP_201_CREATED)


class MemberView(TenantAPIView):
    permission_classes = [IsAdmin]

    @describe(
        "Change a member's role",
        request=RoleInput,
        response=MemberOutput,
        errors=(InvalidRole, UserNotFound, CannotRemoveLastAdmin),
    )
    def patch(self, request: Request, user_id: str) -> Response:
        given = validated(RoleInput, request.data)
        changed = members.change_role(
            self.tenant, read_id(user_id), given["role"], by=self.caller.membership
        )
        return Response(MemberOutput(changed).data)

    @describe(
        "Remove a member",
        status=204,
        errors=(UserNotFound, CannotRemoveSelf, CannotRemoveLastAdmin),
    )
    def delete(self, request: Request, user_id: str) -> Response:
        members.remove_member(self.tenant, read_id(user_id), by=self.caller.membership)
        return Response(status=status.HTTP_204_NO_CONTENT)


class LeavingAuthentication(TokenAuthentication):
    """Says that somebody is out already, where everywhere else their token is just no good."""

    def authenticate(self, request: Request) -> tuple[User, Caller] | None:
        """Raises Unauthorized, MembershipNotFound."""
        try:
            return super().authenticate(request)
        except MembershipGone as error:
            raise MembershipNotFound from error


class OwnMembershipView(TenantAPIView):
    authentication_classes = [LeavingAuthentication]
    permission_classes = [IsPerson]
    may_lack_second_factor = True

    @describe("Leave the workspace", status=204, errors=(CannotRemoveLastAdmin, MembershipNotFound))
    def delete(self, request: Request) -> Response:
        members.leave_tenant(self.tenant, self.caller.user)
        return Response(status=status.HTTP_204_NO_CONTENT)


class ActivationView(PublicAPIView):
    """Activate an account for programs. The page that an invitation links to is the dashboard's."""

    @describe(
        "Accept an invitation",
        request=ActivationInput,
        response=LoginOutput,
        errors=(ActivationFailed, ActivationBroke, WeakPassword, TooManyRequests),
    )
    def post(self, request: Request) -> Response:
        given = validated(ActivationInput, request.data)
        return login_response(
            invitations.activate(given["token"], given["password"], address=client_address(request))
        )
