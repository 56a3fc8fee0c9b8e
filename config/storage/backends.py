"""The value of STORAGE_URL as an entry of Django's STORAGES."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote

from django.core.exceptions import ImproperlyConfigured

from config.environment import split_url

LOCAL = "local"
NOT_CONFIGURED = "none"
S3_SCHEME = "s3"

FORMS = "local, none or s3://KEY:SECRET@bucket/folder?endpoint=URL&region=NAME"
BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
# S3's "safe characters", without names that mean a folder above
FOLDER = re.compile(r"(?:/(?!\.{1,2}(?:/|$))[A-Za-z0-9!_.*'()-]+)*/?")
REGION = re.compile(r"[a-z0-9-]{1,40}")
ENCRYPTIONS = ("AES256", "aws:kms")
DEFAULT_REGION = "us-east-1"  # what servers that have no regions expect
OPAQUE = "application/octet-stream"  # of every object: the client's word is not kept


def read_storage(name: str, url: str, *, folder: Path, link_seconds: int) -> dict[str, Any]:
    """The storage that `url`, the value of the variable `name`, describes.

    Args:
        folder: where files are kept locally.
        link_seconds: how long a link to a file on S3 is good.

    Raises ImproperlyConfigured, which never shows the value.
    """
    if url in (LOCAL, NOT_CONFIGURED):
        return local_storage(folder)
    parts = split_url(name, url)
    if parts.scheme != S3_SCHEME:
        raise wrong_form(name)
    return s3_storage(name, parts, link_seconds=link_seconds)


def local_storage(folder: Path) -> dict[str, Any]:
    return {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {
            "location": str(folder),
            "file_permissions_mode": 0o600,
            "directory_permissions_mode": 0o700,
        },
    }


def s3_storage(name: str, parts: SplitResult, *, link_seconds: int) -> dict[str, Any]:
    bucket = parts.netloc.rpartition("@")[2]
    if not BUCKET.fullmatch(bucket) or not FOLDER.fullmatch(parts.path) or parts.fragment:
        raise wrong_form(name)
    options = read_options(name, parts)
    endpoint = options.get("endpoint")
    access_key, secret_key = read_keys(name, parts)
    # No ACL is sent: S3's default is private, and buckets without ACLs refuse the header.
    object_parameters = {"ContentType": OPAQUE}
    if "encryption" in options:
        object_parameters["ServerSideEncryption"] = options["encryption"]
    return {
        "BACKEND": "config.storage.s3.BoundedS3Storage",
        "OPTIONS": {
            "access_key": access_key,
            "secret_key": secret_key,
            "security_token": None,
            "session_profile": None,
            "bucket_name": bucket,
            "location": parts.path.strip("/"),
            "endpoint_url": endpoint,
            "region_name": options.get("region") or region_of_environment(),
            # Other servers have no name for each bucket; nor fits one with dots a certificate.
            "addressing_style": "path" if endpoint or "." in bucket else "virtual",
            "signature_version": "s3v4",
            "querystring_expire": link_seconds,
            "object_parameters": object_parameters,
        },
    }


def read_options(name: str, parts: SplitResult) -> dict[str, str]:
    """The options behind the question mark, checked."""
    accepted: dict[str, Callable[[str], object]] = {
        "endpoint": lambda value: is_endpoint(name, value),
        "region": REGION.fullmatch,
        "encryption": ENCRYPTIONS.__contains__,
    }
    try:
        pairs = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError:
        raise wrong_form(name) from None
    options = dict(pairs)
    if len(options) != len(pairs) or not options.keys() <= accepted.keys():
        raise wrong_form(name)
    if not all(accepted[option](value) for option, value in options.items()):
        raise wrong_form(name)
    return options


def is_endpoint(name: str, value: str) -> bool:
    parts = split_url(name, value)
    if parts.query or parts.fragment or "@" in parts.netloc:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def read_keys(name: str, parts: SplitResult) -> tuple[str, str]:
    """Access key and secret key.

    Only lasting ones: a download URL signed with temporary keys ends with them.
    """
    if "@" in parts.netloc:
        if not parts.username or not parts.password:
            raise wrong_form(name)
        return unquote(parts.username), unquote(parts.password)
    access_key = os.environ.get("AWS_ACCESS_KEY_ID", "").strip()
    secret_key = os.environ.get("AWS_SECRET_ACCESS_KEY", "").strip()
    if not access_key or not secret_key:
        raise ImproperlyConfigured(
            f"The environment variable {name} holds no keys: write s3://KEY:SECRET@bucket,"
            " or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
        )
    if os.environ.get("AWS_SESSION_TOKEN", "").strip():
        raise ImproperlyConfigured(
            f"The environment variable {name} needs lasting keys: temporary ones"
            " (AWS_SESSION_TOKEN) cannot sign download URLs that are good for 24 hours."
        )
    return access_key, secret_key


def region_of_environment() -> str:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION"):
        if region := os.environ.get(name, "").strip():
            return region
    return DEFAULT_REGION


def wrong_form(name: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(
        f"The environment variable {name} must be {FORMS}."
        " Write special characters of a key as %XX."
    )
