"""GET /ingest/sources/{id}/download, and the files that its links lead to."""

from django.http import FileResponse, HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import PublicAPIView, TenantAPIView, read_id
from accounts.permissions import IsAdminOrMember
from config.database.pool import release_connection
from config.errors import ServiceUnavailable
from config.rest.openapi import BINARY, describe
from config.storage.backends import OPAQUE
from sources.api.serializers import DownloadOutput
from sources.errors import DownloadLinkInvalid, SourceNotFound, StorageUnavailable
from sources.services.downloads import NEVER_CACHED, Download, get_download_url, open_download

# A browser saves the file. Even one that shows it runs nothing of it, and as nobody of ours.
HEADERS = {
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": NEVER_CACHED,
    "Referrer-Policy": "no-referrer",  # the address is the key
    "Accept-Ranges": "none",
}


class SourceDownloadView(TenantAPIView):
    permission_classes = [IsAdminOrMember]

    @describe(
        "Get a link to the stored file",
        response=DownloadOutput,
        errors=(SourceNotFound, ServiceUnavailable),
    )
    def get(self, request: Request, source_id: str) -> Response:
        return Response({"signed_url": get_download_url(self.tenant, read_id(source_id))})


class StoredFileView(PublicAPIView):
    """Anybody who has a link may read the file: the signature in its address is the permission."""

    has_secret_path = True

    @describe(
        "Download a stored file through its link",
        response=BINARY,
        media_type=OPAQUE,
        errors=(DownloadLinkInvalid, ServiceUnavailable, StorageUnavailable),
    )
    def get(self, request: Request, token: str) -> FileResponse:
        download = open_download(token)
        release_connection()  # a slow reader must not hold one
        return attachment(download)

    def head(self, request: Request, token: str) -> HttpResponse:
        download = open_download(token)
        with download.file:
            return HttpResponse(headers=dict(attachment(download).items()))


def attachment(download: Download) -> FileResponse:
    return FileResponse(
        download.file,
        as_attachment=True,
        filename=download.filename,
        content_type=OPAQUE,
        headers=HEADERS,
    )
