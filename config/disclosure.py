"""GET /.well-known/security.txt: whom to tell of a hole (RFC 9116)."""

from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.http import HttpResponse
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.views import APIView

from config.errors import NotFound

# Less than a year (RFC 9116, 2.5.5). From midnight, so that a day's answers are the same.
GOOD_FOR = timedelta(days=180)


class SecurityTxtView(APIView):
    """Serves the file to everybody. Raises NotFound where no contact is set: RFC 9116 requires
    one."""

    authentication_classes = []
    permission_classes = [AllowAny]
    throttle_classes = []
    schema = None

    def get(self, request: Request) -> HttpResponse:
        if not settings.SECURITY_CONTACT:
            raise NotFound
        midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        lines = (
            f"Contact: {settings.SECURITY_CONTACT}",
            f"Expires: {midnight + GOOD_FOR:%Y-%m-%dT%H:%M:%SZ}",
            "Preferred-Languages: es, en",
            f"Canonical: {settings.BASE_URL}/.well-known/security.txt",
            f"Policy: {settings.BASE_URL}/security",
        )
        return HttpResponse(
            "".join(f"{line}\n" for line in lines), content_type="text/plain; charset=utf-8"
        )
