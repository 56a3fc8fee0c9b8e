"""The caller's tenant: its profile, and its company profile."""

from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import TenantAPIView, validated
from accounts.api.serializers.tenants import (
    CompanyProfileInput,
    CompanyProfileOutput,
    TenantInput,
    TenantOutput,
)
from accounts.errors import CompanyProfileNotFound
from accounts.permissions import IsAdmin, IsAnyRole, by_method
from accounts.services import company, profile
from config.rest.openapi import describe


class TenantView(TenantAPIView):
    permission_classes = [by_method(read=IsAnyRole, write=IsAdmin)]

    @describe("Get the workspace", response=TenantOutput)
    def get(self, request: Request) -> Response:
        return Response(TenantOutput(self.tenant).data)

    @describe("Rename the workspace", request=TenantInput, response=TenantOutput)
    def patch(self, request: Request) -> Response:
        given = validated(TenantInput, request.data)
        return Response(TenantOutput(profile.rename_tenant(self.tenant, given["name"])).data)


class CompanyProfileView(TenantAPIView):
    permission_classes = [IsAdmin]

    @describe(
        "Get the company profile", response=CompanyProfileOutput, errors=(CompanyProfileNotFound,)
    )
    def get(self, request: Request) -> Response:
        return Response(CompanyProfileOutput(company.get_company_profile(self.tenant)).data)

    @describe(
        "Replace the company profile", request=CompanyProfileInput, response=CompanyProfileOutput
    )
    def put(self, request: Request) -> Response:
        given = validated(CompanyProfileInput, request.data)
        saved = company.replace_company_profile(self.tenant, **given)
        return Response(CompanyProfileOutput(saved).data)
