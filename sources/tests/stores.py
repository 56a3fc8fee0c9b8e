"""The two kinds of storage, seen from outside."""

import shutil
import socket
import uuid
from pathlib import Path
from typing import Any, Protocol

import boto3
import pytest
from botocore.config import Config

from config.storage.backends import read_storage
from config.storage.s3 import CLIENT_CONFIG

ACCESS_KEY, SECRET_KEY = "AKIATEST", "se/cret+key"
REGION = "eu-west-1"
ONE_DAY_SECONDS = 86_400
NO_RETRIES = CLIENT_CONFIG.merge(Config(retries={"total_max_attempts": 1}))


class Store(Protocol):
    def keys(self) -> list[str]:
        """Of all stored files, sorted."""
        ...

    def read(self, key: str) -> bytes: ...

    def remove(self, key: str) -> None: ...

    def break_down(self) -> None:
        """From now on nothing can be stored, fetched or deleted."""
        ...


class LocalStore:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keys(self) -> list[str]:
        files = (path for path in self.folder.rglob("*") if path.is_file())
        return sorted(str(path.relative_to(self.folder)) for path in files)

    def read(self, key: str) -> bytes:
        return (self.folder / key).read_bytes()

    def remove(self, key: str) -> None:
        (self.folder / key).unlink()

    def break_down(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.write_text("where a folder should be")


class S3Store:
    """A bucket of its own on the server."""

    def __init__(self, endpoint: str, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        self.endpoint, self.settings, self.monkeypatch = endpoint, settings, monkeypatch
        self.bucket = f"test-{uuid.uuid4().hex}"
        self.client = boto3.client(
            "s3",
            endpoint_url=endpoint,
            region_name=REGION,
            aws_access_key_id=ACCESS_KEY,
            aws_secret_access_key=SECRET_KEY,
        )
        self.client.create_bucket(
            Bucket=self.bucket, CreateBucketConfiguration={"LocationConstraint": REGION}
        )

    def use(self, folder: str = "", *, endpoint: str = "", more: str = "") -> None:
        """Makes it the storage of the service, as STORAGE_URL would."""
        self.settings.STORAGE_URL = (
            f"s3://{ACCESS_KEY}:se%2Fcret%2Bkey@{self.bucket}{folder}"
            f"?endpoint={endpoint or self.endpoint}&region={REGION}{more}"
        )
        default = read_storage(
            "STORAGE_URL",
            self.settings.STORAGE_URL,
            folder=Path("unused"),
            link_seconds=ONE_DAY_SECONDS,
        )
        self.settings.STORAGES = {**self.settings.STORAGES, "default": default}

    def keys(self) -> list[str]:
        page = self.client.list_objects_v2(Bucket=self.bucket)
        return [item["Key"] for item in page.get("Contents", [])]

    def read(self, key: str) -> bytes:
        content: bytes = self.client.get_object(Bucket=self.bucket, Key=key)["Body"].read()
        return content

    def remove(self, key: str) -> None:
        self.client.delete_object(Bucket=self.bucket, Key=key)

    def break_down(self) -> None:
        self.monkeypatch.setattr("config.storage.s3.CLIENT_CONFIG", NO_RETRIES)
        self.use(endpoint=f"http://127.0.0.1:{free_port()}")


def free_port() -> int:
    """Where nobody listens."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        port: int = server.getsockname()[1]
        return port
