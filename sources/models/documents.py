"""The items of a source, in their versions."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import F

from accounts.models import Tenant
from accounts.models.tenancy import TenantManager, TenantModel, TenantQuerySet
from config.database.reasons import ReasonsField
from config.export import Exported
from config.security.personal import COMPANYS_OWN
from sources.models.sources import Source

NEVER = 2**31 - 1  # no source comes to this generation


class Generations(TenantModel):
    """Rows that a source has in versions: they answer from `generation` on, until `removed_in`."""

    generation = models.IntegerField(default=0, db_default=0, editable=False)
    removed_in = models.IntegerField(default=NEVER, db_default=NEVER, editable=False)

    class Meta(TenantModel.Meta):
        abstract = True


class DocumentQuerySet(TenantQuerySet["Document"]):
    def live(self) -> DocumentQuerySet:
        """The documents that answer: not those that a sync has staged, nor those that wait to be
        deleted."""
        return self.filter(
            generation__range=(F("source__first_generation"), F("source__generation")),
            removed_in__gt=F("source__generation"),
        )


class DocumentManager(TenantManager["Document"]):
    def for_tenant(self, tenant: Tenant) -> DocumentQuerySet:
        """The tenant's documents in all versions: `.live()` restricts them to those that answer."""
        return DocumentQuerySet(self.model, using=self._db).scoped(tenant)


class Document(Generations):
    """A file, web page, drive file, note or record of a source, in one version."""

    exported = Exported(
        "documents", ("id", "source_id", "title", "external_id", "content_type", "synced_at")
    )

    personal = COMPANYS_OWN

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="documents")
    title = models.CharField(max_length=500)
    external_id = models.TextField(help_text="its name at its origin: file name, URL, record id")
    content_type = models.CharField(max_length=120)
    content_hash = models.CharField(
        max_length=64, help_text="SHA-256 of its bytes; of a web page, of its text"
    )
    etag = models.TextField(
        blank=True, help_text="as the origin gave it, to ask whether it changed"
    )
    last_modified = models.TextField(blank=True, help_text="likewise")
    place = models.TextField(
        blank=True,
        db_default="",
        help_text='as people read it: "Handbook / Rates.pdf"; "": its external_id says it',
    )
    link = models.TextField(blank=True, db_default="", help_text="where people open it")
    position = models.PositiveIntegerField(default=0, help_text="order within the source, from 0")
    warnings = ReasonsField(default=list, blank=True, help_text="what of it was not read and why")
    coverage = models.JSONField(default=dict, blank=True, help_text="counts of words and pages")
    chunks_count = models.PositiveIntegerField(default=0)
    synced_at = models.DateTimeField()

    objects: ClassVar[DocumentManager] = DocumentManager()

    class Meta(Generations.Meta):
        ordering = ["title"]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "id"], name="sources_document_tenant_id"),
            models.UniqueConstraint(
                fields=["tenant", "source", "external_id", "generation"],
                name="sources_document_version",
            ),
        ]

    def __str__(self) -> str:
        return self.title
