"""The endpoints under /ingest/sources."""

from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import TenantAPIView, read_id, validated
from accounts.permissions import IsAdmin, IsAdminOrMember
from sources.api.serializers import (
    SourceSerializer,
    SourceStatusSerializer,
    UploadedSourceSerializer,
    UploadSerializer,
)
from sources.api.upload_limits import UploadParser, require_length
from sources.services import get_source, list_sources, release_connection, upload_file


class SourceListView(TenantAPIView):
    permission_classes = [IsAdminOrMember]

    def get(self, request: Request) -> Response:
        sources = list_sources(self.tenant)
        return Response(SourceSerializer(sources, many=True).data)  # type: ignore[arg-type]  # many


class SourceStatusView(TenantAPIView):
    permission_classes = [IsAdminOrMember]

    def get(self, request: Request, source_id: str) -> Response:
        source = get_source(self.tenant, read_id(source_id))
        return Response(SourceStatusSerializer(source).data)


class SourceUploadView(TenantAPIView):
    """Answers when the file is indexed: it waits for a worker, up to UPLOAD_DEADLINE."""

    permission_classes = [IsAdmin]
    parser_classes = [UploadParser]

    def post(self, request: Request) -> Response:
        require_length(request)
        release_connection()  # the body may come slowly
        upload = validated(UploadSerializer, request.data)
        source = upload_file(
            self.tenant, file=upload["file"], filename=upload["file"].name, name=upload["name"]
        )
        return Response(UploadedSourceSerializer(source).data, status=status.HTTP_201_CREATED)
