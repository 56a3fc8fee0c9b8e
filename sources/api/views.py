"""The endpoints under /ingest/sources."""

import uuid
from typing import Any

from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import ListSerializer

from accounts.api.base import TenantAPIView, read_id, validated
from accounts.permissions import IsAdmin, IsAdminOrMember
from config.errors import InvalidRequestBody, InvalidValue
from config.request_body import ArrayParser
from sources import services
from sources.api.permissions import ReadOrAdmin
from sources.api.serializers import (
    ChunkPreviewSerializer,
    CreatedSourceSerializer,
    FrequencySerializer,
    HistoryEntrySerializer,
    HistoryLimitSerializer,
    NewNameSerializer,
    NewSourceSerializer,
    PlacedSourceSerializer,
    ReadScheduleSerializer,
    RenamedSourceSerializer,
    ScheduleSerializer,
    SourceSerializer,
    SourceStatusSerializer,
    UploadedSourceSerializer,
    UploadSerializer,
    WebsiteSerializer,
)
from sources.api.upload_limits import UploadParser, require_length
from sources.errors import SourceNotFound

REORDER_MAX_ENTRIES = 1000


class SourceListView(TenantAPIView):
    permission_classes = [ReadOrAdmin]

    def get(self, request: Request) -> Response:
        sources = services.list_sources(self.tenant)
        return Response(SourceSerializer(sources, many=True).data)  # type: ignore[arg-type]  # many

    def post(self, request: Request) -> Response:
        fields = validated(NewSourceSerializer, request.data)
        source = services.create_source(
            self.tenant,
            name=fields["name"],
            source_type=fields["source_type"],
            source_url=fields.get("source_url") or "",
        )
        return Response(CreatedSourceSerializer(source).data, status=status.HTTP_201_CREATED)


class WebsiteCheckView(TenantAPIView):
    """Answers when a worker has looked at the website, or in 40 seconds."""

    permission_classes = [IsAdmin]

    def post(self, request: Request) -> Response:
        website = validated(WebsiteSerializer, request.data)
        found = services.check_website(
            self.tenant, source_type=website["source_type"], source_url=website["source_url"]
        )
        if not found.is_indexable:
            return Response({"indexable": False, "error": found.error})
        return Response(
            {
                "indexable": True,
                "pages_found": found.pages_found,
                "max_pages": found.max_pages,
                "sample_title": found.sample_title,
            }
        )


class SourceUploadView(TenantAPIView):
    """Answers when the file is indexed: it waits for a worker, up to UPLOAD_DEADLINE."""

    permission_classes = [IsAdmin]
    parser_classes = [UploadParser]

    def post(self, request: Request) -> Response:
        require_length(request)
        services.release_connection()  # the body may come slowly
        upload = validated(UploadSerializer, request.data)
        source = services.upload_file(
            self.tenant, file=upload["file"], filename=upload["file"].name, name=upload["name"]
        )
        return Response(UploadedSourceSerializer(source).data, status=status.HTTP_201_CREATED)


class SourceOrderView(TenantAPIView):
    permission_classes = [IsAdmin]
    parser_classes = [ArrayParser]

    def patch(self, request: Request) -> Response:
        positions = self.read_positions(request.data)
        services.reorder_sources(self.tenant, positions)
        return Response(
            [{"source_id": key, "position": position} for key, position in positions.items()]
        )

    def read_positions(self, body: Any) -> dict[uuid.UUID, int]:
        if not isinstance(body, list):  # no body at all: it never came to the parser
            raise InvalidRequestBody("The body must be a JSON array.")
        serializer: ListSerializer[Any] = ListSerializer(
            child=PlacedSourceSerializer(), data=body, max_length=REORDER_MAX_ENTRIES
        )
        serializer.is_valid(raise_exception=True)
        positions: dict[uuid.UUID, int] = {}
        for place in serializer.validated_data:
            source_id = read_id(place["source_id"])
            if source_id is None:
                raise SourceNotFound
            if source_id in positions:
                raise InvalidValue(f"source_id: {source_id} is there twice.")
            positions[source_id] = place["position"]
        return positions


class SourceView(TenantAPIView):
    permission_classes = [IsAdmin]

    def patch(self, request: Request, source_id: str) -> Response:
        name = validated(NewNameSerializer, request.data)["name"]
        source = services.rename_source(self.tenant, read_id(source_id), name=name)
        return Response(RenamedSourceSerializer(source).data)

    def delete(self, request: Request, source_id: str) -> Response:
        services.delete_source(self.tenant, read_id(source_id))
        return Response({"status": "deleted"})


class SourceSyncView(TenantAPIView):
    permission_classes = [IsAdmin]

    def post(self, request: Request, source_id: str) -> Response:
        source = services.start_sync(self.tenant, read_id(source_id))
        message = "The sync has started. The status of the source says when it has ended."
        return Response(
            {"source_id": source.pk, "message": message}, status=status.HTTP_202_ACCEPTED
        )


class SourceStatusView(TenantAPIView):
    permission_classes = [IsAdminOrMember]

    def get(self, request: Request, source_id: str) -> Response:
        source = services.get_source(self.tenant, read_id(source_id))
        return Response(SourceStatusSerializer(source).data)


class SourcePreviewView(TenantAPIView):
    permission_classes = [IsAdminOrMember]

    def get(self, request: Request, source_id: str) -> Response:
        chunks = services.list_preview(self.tenant, read_id(source_id))
        return Response([ChunkPreviewSerializer(chunk).data for chunk in chunks])


class SourceHistoryView(TenantAPIView):
    permission_classes = [IsAdminOrMember]

    def get(self, request: Request, source_id: str) -> Response:
        # As a plain dict: DRF takes an empty text in a query string for a missing one.
        limit = validated(HistoryLimitSerializer, request.query_params.dict())["limit"]
        entries = services.list_history(self.tenant, read_id(source_id), limit=limit)
        return Response([HistoryEntrySerializer(entry).data for entry in entries])


class SourceScheduleView(TenantAPIView):
    permission_classes = [ReadOrAdmin]

    def get(self, request: Request, source_id: str) -> Response:
        schedule = services.get_schedule(self.tenant, read_id(source_id))
        return Response(ReadScheduleSerializer(schedule).data)

    def put(self, request: Request, source_id: str) -> Response:
        frequency = validated(FrequencySerializer, request.data)["frequency"]
        schedule = services.set_schedule(self.tenant, read_id(source_id), frequency=frequency)
        return Response(ScheduleSerializer(schedule).data)
