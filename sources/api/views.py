"""The endpoints under /ingest/sources."""

import uuid
from hashlib import file_digest
from typing import Any

from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import ListSerializer

from accounts.api.base import TenantAPIView, read_id, validated
from accounts.api.idempotency import (
    IDEMPOTENCY_KEY,
    IDEMPOTENT_ERRORS,
    answer_once,
    keep_answer,
)
from accounts.idempotency import Claim
from accounts.permissions import IsAdmin, IsAdminOrMember, by_method
from config.database.pool import release_connection
from config.errors import (
    Conflict,
    InvalidRequestBody,
    InvalidValue,
    PlanLimitReached,
    ServiceUnavailable,
)
from config.rest.cursor_pages import PAGES, answer_page
from config.rest.openapi import describe
from config.rest.request_body import ArrayParser
from sources.api.examples import NEW_API, NEW_WEBSITE, UPLOADED, UPLOADED_IN_VAIN
from sources.api.serializers import (
    ChunkPreviewSerializer,
    CreatedSourceSerializer,
    DeletedOutput,
    FrequencySerializer,
    HistoryEntrySerializer,
    HistoryLimitSerializer,
    NewNameSerializer,
    NewSourceSerializer,
    NewVersionSerializer,
    PlacedSourceOutput,
    PlacedSourceSerializer,
    ReadScheduleSerializer,
    RenamedSourceSerializer,
    ScheduleSerializer,
    SourceSerializer,
    SourceStatusSerializer,
    StartedSyncOutput,
    UnreachableWebsiteOutput,
    UploadedSourceSerializer,
    UploadSerializer,
    WebsiteCheckOutput,
    WebsiteSerializer,
)
from sources.api.upload_limits import UploadParser
from sources.errors import (
    ConnectionRefused,
    FileProcessingFailed,
    FileTooLarge,
    InvalidSourceType,
    ReaderNotConfigured,
    SourceLimitReached,
    SourceNotFound,
    StorageUnavailable,
    SyncInProgress,
    UnsupportedFileType,
)
from sources.models import Source
from sources.services.checking import check_website
from sources.services.creating import create_source
from sources.services.editing import delete_source, rename_source, reorder_sources
from sources.services.reading import get_source, list_history, list_preview, list_sources
from sources.services.replacing import replace_file
from sources.services.scheduling import get_schedule, set_schedule
from sources.services.syncing import start_sync
from sources.services.uploads import upload_file

REORDER_MAX_ENTRIES = 1000

UPLOAD_DESCRIPTION = """\
PDF, DOCX, XLSX, PPTX, CSV, TXT, Markdown and HTML; RTF, DOC, XLS, PPT, ODT, ODS, ODP, EPUB, XML
and JSON; ZIP archives and messages (EML, MSG, MBOX), of which each file in them is a document;
images (PNG, JPEG, TIFF, WebP, BMP) through recognition of text; audio (WAV, MP3, OGG, M4A, FLAC,
WebM) through transcription. Up to 50 MB, images up to 20 MB. The answer comes when the file is
indexed; the status of the source tells what could not be read (`details.warnings`). If we fail to
index it, the answer is still 201, with `sync_status` "error" and an `error_message`. If it takes
more than five minutes, or several uploads of the workspace are waiting already, the answer is 201
with `sync_status` "syncing": the file is stored and indexed in the background, and the status of
the source says when that has finished. 429 if too many are waiting."""


class SourceListView(TenantAPIView):
    permission_classes = [by_method(read=IsAdminOrMember, write=IsAdmin)]

    @describe(
        "List the sources",
        response=SourceSerializer(many=True),
        errors=(InvalidValue,),
        parameters=PAGES,
    )
    def get(self, request: Request) -> Response:
        sources = list_sources(self.tenant)
        return answer_page(request, sources, SourceSerializer, owner=self.tenant)

    @describe(
        "Create a source that has no file: a website, or a connector",
        request=NewSourceSerializer,
        response=CreatedSourceSerializer,
        status=201,
        errors=(
            InvalidSourceType,
            Conflict,
            SourceLimitReached,
            ServiceUnavailable,
            *IDEMPOTENT_ERRORS,
        ),
        parameters=IDEMPOTENCY_KEY,
        examples=[NEW_WEBSITE, NEW_API],
        description=(
            "With `connection`, the service behind it is asked first, for up to 40"
            " seconds. 429 while several others of the workspace are being checked."
        ),
    )
    def post(self, request: Request) -> Response:
        fields = validated(NewSourceSerializer, request.data)
        connection = fields.pop("connection", None)
        given: dict[str, Any] = {name: value or "" for name, value in fields.items()}

        def created(source: Source) -> Response:
            return Response(CreatedSourceSerializer(source).data, status=status.HTTP_201_CREATED)

        def create(claim: Claim | None) -> Response:
            source = create_source(
                self.tenant,
                connection=connection,
                when_made=lambda source: keep_answer(claim, created(source)),
                **given,
            )
            return created(source)

        try:
            return answer_once(request, self.tenant, create, content=lambda: request.data)
        except ConnectionRefused as error:  # named as every field of a body is
            name = ".".join(filter(None, ("connection", error.field)))
            raise InvalidValue(f"{name}: {error.message}") from error


class WebsiteCheckView(TenantAPIView):
    """Answers when a worker has looked at the website, or in 40 seconds."""

    permission_classes = [IsAdmin]

    @describe(
        "Look at a website before it becomes a source",
        request=WebsiteSerializer,
        response=WebsiteCheckOutput,
        errors=(InvalidSourceType, ServiceUnavailable),
        description="Waits for the website, up to 40 seconds. Writes nothing. 429 while several"
        " others of the workspace are being checked.",
    )
    def post(self, request: Request) -> Response:
        website = validated(WebsiteSerializer, request.data)
        found = check_website(
            self.tenant, source_type=website["source_type"], source_url=website["source_url"]
        )
        if not found.is_indexable:
            return Response(UnreachableWebsiteOutput(found).data)
        return Response(
            {
                "indexable": True,
                "pages_found": found.pages_found,
                "max_pages": found.max_pages,
                "sample_title": found.sample_title,
            }
        )


class SourceUploadView(TenantAPIView):
    """Answers when the file is indexed: it waits for a worker, up to UPLOAD_DEADLINE, if not too
    many requests of the tenant do."""

    permission_classes = [IsAdmin]
    parser_classes = [UploadParser]

    @describe(
        "Upload a file and index it",
        request=UploadSerializer,
        response=UploadedSourceSerializer,
        status=201,
        errors=(
            FileTooLarge,
            UnsupportedFileType,
            PlanLimitReached,
            FileProcessingFailed,
            ServiceUnavailable,
            StorageUnavailable,
            ReaderNotConfigured,
            *IDEMPOTENT_ERRORS,
        ),
        parameters=IDEMPOTENCY_KEY,
        description=UPLOAD_DESCRIPTION,
        examples=[UPLOADED, UPLOADED_IN_VAIN],
    )
    def post(self, request: Request) -> Response:
        release_connection()  # the body may come slowly
        given = validated(UploadSerializer, request.data)
        file, name = given["file"], given["name"]

        def upload(claim: Claim | None) -> Response:
            source = upload_file(self.tenant, file=file, filename=file.name, name=name, claim=claim)
            return Response(UploadedSourceSerializer(source).data, status=status.HTTP_201_CREATED)

        return answer_once(
            request,
            self.tenant,
            upload,
            content=lambda: [name, file.name, file_digest(file.file, "sha256").hexdigest()],
        )


class SourceFileView(TenantAPIView):
    permission_classes = [IsAdmin]
    parser_classes = [UploadParser]

    @describe(
        "Replace the file of a source",
        request=NewVersionSerializer,
        response=UploadedSourceSerializer,
        status=202,
        errors=(
            SourceNotFound,
            FileTooLarge,
            UnsupportedFileType,
            ServiceUnavailable,
            StorageUnavailable,
            ReaderNotConfigured,
        ),
        description="For uploads. The new file is stored, and read in the background; the status of"
        " the source says when that has ended. Until it has been read, the version before answers,"
        " and it goes on answering if the new file cannot be read.",
    )
    def put(self, request: Request, source_id: str) -> Response:
        release_connection()  # the body may come slowly
        file = validated(NewVersionSerializer, request.data)["file"]
        source = replace_file(self.tenant, read_id(source_id), file=file, filename=file.name)
        return Response(UploadedSourceSerializer(source).data, status=status.HTTP_202_ACCEPTED)


class SourceOrderView(TenantAPIView):
    permission_classes = [IsAdmin]
    parser_classes = [ArrayParser]

    @describe(
        "Put sources in order",
        request=PlacedSourceSerializer(many=True),
        response=PlacedSourceOutput(many=True),
        errors=(SourceNotFound,),
        description="All or none: an unknown id changes nothing.",
    )
    def patch(self, request: Request) -> Response:
        positions = self.read_positions(request.data)
        reorder_sources(self.tenant, positions)
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
                raise InvalidValue(f"source_id: {source_id} appears twice.")
            positions[source_id] = place["position"]
        return positions


class SourceView(TenantAPIView):
    permission_classes = [IsAdmin]

    @describe(
        "Rename a source",
        request=NewNameSerializer,
        response=RenamedSourceSerializer,
        errors=(SourceNotFound,),
    )
    def patch(self, request: Request, source_id: str) -> Response:
        name = validated(NewNameSerializer, request.data)["name"]
        source = rename_source(self.tenant, read_id(source_id), name=name)
        return Response(RenamedSourceSerializer(source).data)

    @describe(
        "Delete a source and what is indexed of it",
        response=DeletedOutput,
        errors=(SourceNotFound,),
        description="The original file is kept, and stays downloadable.",
    )
    def delete(self, request: Request, source_id: str) -> Response:
        delete_source(self.tenant, read_id(source_id))
        return Response({"status": "deleted"})


class SourceSyncView(TenantAPIView):
    permission_classes = [IsAdmin]

    @describe(
        "Start to sync a source in the background",
        response=StartedSyncOutput,
        status=202,
        errors=(SourceNotFound, SyncInProgress, SourceLimitReached),
    )
    def post(self, request: Request, source_id: str) -> Response:
        source = start_sync(self.tenant, read_id(source_id))
        message = "The sync has started. The status of the source says when it has ended."
        return Response(
            {"source_id": source.pk, "message": message}, status=status.HTTP_202_ACCEPTED
        )


class SourceStatusView(TenantAPIView):
    permission_classes = [IsAdminOrMember]

    @describe(
        "Get the state of a source", response=SourceStatusSerializer, errors=(SourceNotFound,)
    )
    def get(self, request: Request, source_id: str) -> Response:
        source = get_source(self.tenant, read_id(source_id))
        return Response(SourceStatusSerializer(source).data)


class SourcePreviewView(TenantAPIView):
    permission_classes = [IsAdminOrMember]

    @describe(
        "Get the first three passages of a source",
        response=ChunkPreviewSerializer(many=True),
        errors=(SourceNotFound,),
    )
    def get(self, request: Request, source_id: str) -> Response:
        chunks = list_preview(self.tenant, read_id(source_id))
        return Response([ChunkPreviewSerializer(chunk).data for chunk in chunks])


class SourceHistoryView(TenantAPIView):
    permission_classes = [IsAdminOrMember]

    @describe(
        "List what happened to a source, the latest first",
        response=HistoryEntrySerializer(many=True),
        errors=(SourceNotFound, InvalidValue),
        parameters=[HistoryLimitSerializer],
    )
    def get(self, request: Request, source_id: str) -> Response:
        # As a plain dict: DRF takes an empty text in a query string for a missing one.
        limit = validated(HistoryLimitSerializer, request.query_params.dict())["limit"]
        entries = list_history(self.tenant, read_id(source_id), limit=limit)
        return Response([HistoryEntrySerializer(entry).data for entry in entries])


class SourceScheduleView(TenantAPIView):
    permission_classes = [by_method(read=IsAdminOrMember, write=IsAdmin)]

    @describe(
        "Get the schedule of a source", response=ReadScheduleSerializer, errors=(SourceNotFound,)
    )
    def get(self, request: Request, source_id: str) -> Response:
        schedule = get_schedule(self.tenant, read_id(source_id))
        return Response(ReadScheduleSerializer(schedule).data)

    @describe(
        "Set how often a source is synced",
        request=FrequencySerializer,
        response=ScheduleSerializer,
        errors=(SourceNotFound, PlanLimitReached),
    )
    def put(self, request: Request, source_id: str) -> Response:
        frequency = validated(FrequencySerializer, request.data)["frequency"]
        schedule = set_schedule(self.tenant, read_id(source_id), frequency=frequency)
        return Response(ScheduleSerializer(schedule).data)
