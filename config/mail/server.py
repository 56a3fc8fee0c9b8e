"""The mail backend of EMAIL_URL: Django's own SMTP, without its question to the name server."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail.backends import smtp
from django.core.mail.utils import DNS_NAME


class EmailBackend(smtp.EmailBackend):
    def open(self) -> bool | None:
        """Greets the server as BASE_URL's host, and takes leave of one that does not let us in.

        Django asks DNS for this machine's name, and waits for as long as a dead name server takes;
        and it leaves a connection open whose TLS or login failed. Raises OSError.
        """
        DNS_NAME._fqdn = greeting_name()  # where Django keeps it
        try:
            return super().open()
        except OSError:  # smtplib's errors are, too
            self.close()
            raise


def greeting_name() -> str:
    """A domain name or an address literal (RFC 5321, section 4.1.3)."""
    host = urlsplit(settings.BASE_URL).hostname or "localhost"
    try:
        address = ip_address(host)
    except ValueError:
        return host.encode("idna").decode()
    return f"[IPv6:{address}]" if address.version == 6 else f"[{address}]"
