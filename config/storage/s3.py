"""Django's storage on S3, with bounds: on its memory, its time, and on what a failure leaves."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from django.core.files import File
from storages.backends.s3 import S3Storage
from storages.utils import clean_name

CLIENT_CONFIG = Config(
    connect_timeout=5,
    read_timeout=20,  # without a byte
    retries={"mode": "standard", "total_max_attempts": 3},
    max_pool_connections=24,  # the threads of a web process
    # The checksums that boto3 adds by itself are unknown to many servers that speak S3.
    request_checksum_calculation="when_required",
    response_checksum_validation="when_required",
)
# One request stores all or nothing. Parts of an upload that died would stay, unseen, and be billed.
TRANSFER_CONFIG = TransferConfig(multipart_threshold=5 * 1024**3, use_threads=False)


class BoundedS3Storage(S3Storage):  # type: ignore[misc]  # django-storages has no types
    """Options as in django-storages."""

    client_config: Any

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.client_config = self.client_config.merge(CLIENT_CONFIG)
        self.transfer_config = TRANSFER_CONFIG

    @cached_property
    def connection(self) -> Any:
        """The connection of all threads, which a client allows: one for each would take 12 MB."""
        return super().connection

    def _open(self, name: str, mode: str = "rb") -> File[bytes]:
        """Streams, where django-storages would hold a copy. Raises FileNotFoundError."""
        client = self.connection.meta.client
        key = self._normalize_name(clean_name(name))
        try:
            stored = client.get_object(Bucket=self.bucket_name, Key=key)
        except client.exceptions.NoSuchKey as error:
            raise FileNotFoundError(name) from error
        return File(stored["Body"], name)
