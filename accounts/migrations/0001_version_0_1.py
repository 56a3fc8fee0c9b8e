"""Workspaces, their people, plans and programs, as of version 0.1: what the migrations
before it made step by step (docs/decisions/0069-squashed-migrations.md).

What people did is written down once, and the database itself keeps it: no row is changed, and none
is deleted but with its tenant, or when it is older than two years. The foreign key to the tenant
cascades inside PostgreSQL: by then the tenant's row is gone, which is how the trigger tells a
tenant's end from somebody who wipes out traces. Receipts of erasures stay as they are once they are
closed, and none is deleted. While a person's receipt is open, entries of what people did take that
person's pseudonym, and nothing else.
"""

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.validators import RegexValidator
from django.db import migrations, models
from django.db.models.functions import Lower
from django.utils import timezone

from config.database.declaring import (
    ALL_TENANTS,
    OF_TENANTS,
    CreateModels,
    tenant_key,
    uuid_key,
    walled_key,
)

MODELS = [
    migrations.CreateModel(
        name="Plan",
        fields=[
            ("slug", models.SlugField(max_length=40, primary_key=True, serialize=False)),
            ("name", models.CharField(max_length=200)),
            (
                "max_documents",
                models.PositiveIntegerField(
                    blank=True, help_text="uploads that are not deleted", null=True
                ),
            ),
            ("max_queries_per_month", models.PositiveIntegerField(blank=True, null=True)),
            ("max_connectors", models.PositiveIntegerField(blank=True, null=True)),
            (
                "schedule_frequencies",
                ArrayField(
                    base_field=models.CharField(
                        choices=[
                            ("manual", "Manual"),
                            ("1h", "Hourly"),
                            ("6h", "Every Six Hours"),
                            ("24h", "Daily"),
                            ("weekly", "Weekly"),
                        ],
                        max_length=10,
                    ),
                    size=None,
                ),
            ),
            ("max_requests_per_minute", models.PositiveIntegerField()),
            ("max_pages_per_crawl", models.PositiveIntegerField()),
            (
                "blocks_overage",
                models.BooleanField(
                    default=False,
                    help_text="documents and queries over the limit are refused; "
                    "otherwise counted and billed",
                ),
            ),
        ],
        options={
            "ordering": ["max_requests_per_minute"],
        },
    ),
    migrations.CreateModel(
        name="User",
        fields=[
            ("password", models.CharField(max_length=128, verbose_name="password")),
            ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
            (
                "is_superuser",
                models.BooleanField(
                    default=False,
                    help_text="Designates that this user has all permissions without "
                    "explicitly assigning them.",
                    verbose_name="superuser status",
                ),
            ),
            ("id", uuid_key()),
            ("email", models.EmailField(max_length=254, unique=True)),
            ("is_active", models.BooleanField(default=True)),
            ("is_staff", models.BooleanField(default=False)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            (
                "groups",
                models.ManyToManyField(
                    blank=True,
                    help_text="The groups this user belongs to. A user will get all "
                    "permissions granted to each of their groups.",
                    related_name="user_set",
                    related_query_name="user",
                    to="auth.group",
                    verbose_name="groups",
                ),
            ),
            (
                "user_permissions",
                models.ManyToManyField(
                    blank=True,
                    help_text="Specific permissions for this user.",
                    related_name="user_set",
                    related_query_name="user",
                    to="auth.permission",
                    verbose_name="user permissions",
                ),
            ),
            (
                "language",
                models.CharField(
                    blank=True,
                    choices=[("es", "Spanish"), ("en", "English")],
                    help_text="of pages; empty: the browser's",
                    max_length=2,
                ),
            ),
        ],
        options={
            "ordering": ["email"],
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(("email", Lower("email"))), name="accounts_user_email_lower"
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="Tenant",
        fields=[
            ("id", uuid_key()),
            (
                "slug",
                models.CharField(
                    max_length=63,
                    validators=[
                        RegexValidator(
                            "\\A[a-z0-9-]{3,63}\\Z",
                            "A slug is 3 to 63 lower-case letters, digits and hyphens.",
                            code="invalid_slug",
                        )
                    ],
                ),
            ),
            ("name", models.CharField(max_length=200)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            (
                "plan",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="tenants", to="accounts.plan"
                ),
            ),
            (
                "language",
                models.CharField(
                    choices=[("es", "Spanish"), ("en", "English")],
                    default="es",
                    help_text="of our e-mails",
                    max_length=2,
                ),
            ),
            (
                "time_zone",
                models.CharField(
                    blank=True,
                    help_text="IANA name, for times on pages; empty: the service's",
                    max_length=63,
                ),
            ),
            ("deletion_asked_at", models.DateTimeField(blank=True, editable=False, null=True)),
            ("deletion_begun_at", models.DateTimeField(blank=True, editable=False, null=True)),
            (
                "requires_two_factor",
                models.BooleanField(
                    default=False,
                    help_text="its people do nothing here before they have set one up",
                ),
            ),
        ],
        options={
            "ordering": ["slug"],
            "constraints": [
                models.UniqueConstraint(Lower("slug"), name="accounts_tenant_slug_unique"),
                models.CheckConstraint(
                    condition=models.Q(("slug__regex", "^[a-z0-9-]{3,63}$")),
                    name="accounts_tenant_slug_form",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="Membership",
        fields=[
            ("id", uuid_key()),
            (
                "role",
                models.CharField(
                    choices=[
                        ("admin", "Admin"),
                        ("member", "Member"),
                        ("viewer", "Viewer"),
                        ("api_user", "Api User"),
                    ],
                    max_length=20,
                ),
            ),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            (
                "user",
                models.ForeignKey(
                    on_delete=models.CASCADE,
                    related_name="memberships",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("tenant", tenant_key()),
            ("activated_at", models.DateTimeField(blank=True, default=timezone.now, null=True)),
            ("invitation_expires_at", models.DateTimeField(blank=True, null=True)),
            ("invitation_hash", models.CharField(blank=True, editable=False, max_length=64)),
        ],
        options={
            "ordering": ["tenant", "created_at"],
            **OF_TENANTS,
            "indexes": [
                models.Index(
                    condition=models.Q(("invitation_hash", ""), _negated=True),
                    fields=["invitation_hash"],
                    name="accounts_membership_invitation",
                )
            ],
            "constraints": [
                models.UniqueConstraint(
                    fields=("tenant", "user"), name="accounts_membership_unique"
                ),
                models.UniqueConstraint(
                    fields=("tenant", "id"), name="accounts_membership_tenant_id"
                ),
                models.CheckConstraint(
                    condition=models.Q(("role__in", ["admin", "member", "viewer", "api_user"])),
                    name="accounts_membership_role",
                ),
            ],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="Session",
        fields=[
            ("id", uuid_key()),
            ("refresh_jti", models.UUIDField(default=uuid.uuid4, editable=False)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("last_refreshed_at", models.DateTimeField(auto_now_add=True)),
            ("expires_at", models.DateTimeField()),
            ("revoked_at", models.DateTimeField(blank=True, null=True)),
            (
                "membership",
                models.ForeignKey(
                    on_delete=models.CASCADE, related_name="sessions", to="accounts.membership"
                ),
            ),
            ("tenant", tenant_key()),
            (
                "address",
                models.CharField(
                    blank=True, help_text="where it began, or last was", max_length=50
                ),
            ),
            (
                "last_seen_at",
                models.DateTimeField(blank=True, help_text="to a few minutes", null=True),
            ),
            ("user_agent", models.CharField(blank=True, max_length=300)),
            (
                "signed_in_at",
                models.DateTimeField(
                    default=timezone.now, help_text="when its person proved who they are"
                ),
            ),
        ],
        options={
            "ordering": ["-created_at"],
            **OF_TENANTS,
            "indexes": [models.Index(fields=["expires_at"], name="accounts_session_expires")],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="ApiToken",
        fields=[
            ("id", uuid_key()),
            ("name", models.CharField(max_length=200)),
            ("token_hash", models.CharField(editable=False, max_length=64)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("expires_at", models.DateTimeField()),
            (
                "last_used_at",
                models.DateTimeField(blank=True, help_text="to the minute", null=True),
            ),
            ("revoked_at", models.DateTimeField(blank=True, null=True)),
            (
                "membership",
                models.ForeignKey(
                    on_delete=models.CASCADE, related_name="api_tokens", to="accounts.membership"
                ),
            ),
            ("tenant", tenant_key()),
        ],
        options={
            "ordering": ["-created_at"],
            **OF_TENANTS,
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="CompanyProfile",
        fields=[
            ("id", uuid_key()),
            ("legal_name", models.CharField(max_length=200)),
            ("tax_id", models.CharField(max_length=40)),
            ("address", models.CharField(max_length=200)),
            ("city", models.CharField(max_length=100)),
            ("postal_code", models.CharField(max_length=20)),
            ("country", models.CharField(help_text="ISO 3166-1 alpha-2", max_length=2)),
            ("billing_email", models.EmailField(max_length=254)),
            ("updated_at", models.DateTimeField(auto_now=True)),
            ("tenant", tenant_key()),
        ],
        options={
            **OF_TENANTS,
            "constraints": [
                models.UniqueConstraint(fields=("tenant",), name="accounts_companyprofile_unique")
            ],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="Signup",
        fields=[
            ("id", uuid_key()),
            ("user_id", models.UUIDField(default=uuid.uuid4, editable=False)),
            ("email", models.EmailField(db_index=True, max_length=254)),
            ("password", models.CharField(editable=False, help_text="hashed", max_length=128)),
            ("tenant_name", models.CharField(max_length=200)),
            ("slug", models.CharField(max_length=63, unique=True)),
            (
                "language",
                models.CharField(
                    choices=[("es", "Spanish"), ("en", "English")], default="es", max_length=2
                ),
            ),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("expires_at", models.DateTimeField()),
        ],
        options={
            "ordering": ["-created_at"],
        },
    ),
    migrations.CreateModel(
        name="OneTimeCode",
        fields=[
            ("id", uuid_key()),
            ("email", models.EmailField(max_length=254)),
            (
                "purpose",
                models.CharField(
                    choices=[("signup", "Signup"), ("reset", "Reset"), ("login", "Login")],
                    max_length=10,
                ),
            ),
            ("code_hash", models.CharField(editable=False, max_length=64)),
            ("created_at", models.DateTimeField()),
            ("expires_at", models.DateTimeField()),
            ("tries_left", models.PositiveSmallIntegerField()),
            ("used_at", models.DateTimeField(blank=True, null=True)),
            (
                "signup",
                models.ForeignKey(
                    null=True, on_delete=models.CASCADE, related_name="codes", to="accounts.signup"
                ),
            ),
        ],
        options={
            "ordering": ["-created_at"],
            "constraints": [
                models.UniqueConstraint(
                    fields=("email", "purpose", "signup"),
                    name="accounts_onetimecode_unique",
                    nulls_distinct=False,
                ),
                models.CheckConstraint(
                    condition=models.Q(("signup", None), ("purpose", "signup"), _connector="OR"),
                    name="accounts_onetimecode_signup",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="OutgoingMail",
        fields=[
            ("id", uuid_key()),
            ("recipient", models.EmailField(max_length=254)),
            ("template", models.CharField(max_length=40)),
            (
                "language",
                models.CharField(choices=[("es", "Spanish"), ("en", "English")], max_length=2),
            ),
            ("encrypted_context", models.BinaryField()),
            ("attempts", models.PositiveSmallIntegerField(default=0)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("next_attempt_at", models.DateTimeField(blank=True, default=timezone.now, null=True)),
            ("sent_at", models.DateTimeField(blank=True, null=True)),
            ("failed_at", models.DateTimeField(blank=True, null=True)),
            ("error_message", models.CharField(blank=True, max_length=500)),
            ("tenant", tenant_key()),
        ],
        options={
            "ordering": ["-created_at"],
            **OF_TENANTS,
            "indexes": [
                models.Index(
                    condition=models.Q(("next_attempt_at__isnull", False)),
                    fields=["next_attempt_at"],
                    name="accounts_outgoingmail_due",
                )
            ],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="TwoFactor",
        fields=[
            (
                "user",
                models.OneToOneField(
                    on_delete=models.CASCADE,
                    primary_key=True,
                    related_name="two_factor",
                    serialize=False,
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("encrypted_secret", models.BinaryField()),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("confirmed_at", models.DateTimeField(blank=True, null=True)),
            ("last_used_step", models.BigIntegerField(default=0, editable=False)),
            ("guessing_told_at", models.DateTimeField(blank=True, editable=False, null=True)),
            (
                "wrong_codes",
                models.JSONField(
                    blank=True,
                    db_default=models.Value([], models.JSONField()),
                    default=list,
                    editable=False,
                ),
            ),
        ],
        options={},
    ),
    migrations.CreateModel(
        name="RecoveryCode",
        fields=[
            ("id", uuid_key()),
            ("code_hash", models.CharField(editable=False, max_length=64)),
            ("used_at", models.DateTimeField(blank=True, null=True)),
            (
                "two_factor",
                models.ForeignKey(
                    on_delete=models.CASCADE, related_name="recovery_codes", to="accounts.twofactor"
                ),
            ),
        ],
        options={
            "constraints": [
                models.UniqueConstraint(
                    fields=("two_factor", "code_hash"), name="accounts_recoverycode_unique"
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="UsageCounter",
        fields=[
            ("id", uuid_key()),
            (
                "metric",
                models.CharField(
                    choices=[("queries", "Queries"), ("documents", "Documents")], max_length=20
                ),
            ),
            ("period_start", models.DateField()),
            ("used", models.PositiveIntegerField(default=0)),
            ("overage", models.PositiveIntegerField(default=0)),
            ("tenant", tenant_key()),
        ],
        options={
            "ordering": ["-period_start", "metric"],
            **OF_TENANTS,
            "constraints": [
                models.UniqueConstraint(
                    fields=("tenant", "metric", "period_start"), name="accounts_usagecounter_unique"
                )
            ],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="ActivityEntry",
        fields=[
            ("id", models.BigAutoField(primary_key=True, serialize=False)),
            ("created_at", models.DateTimeField(default=timezone.now)),
            (
                "person_id",
                models.UUIDField(blank=True, help_text="of the User, also a former one", null=True),
            ),
            (
                "actor",
                models.CharField(
                    help_text="an e-mail address, a token's name, staff or service", max_length=254
                ),
            ),
            ("action", models.CharField(max_length=40)),
            ("target_kind", models.CharField(blank=True, max_length=20)),
            ("target_id", models.CharField(blank=True, max_length=40)),
            ("target_name", models.CharField(blank=True, max_length=500)),
            ("details", models.JSONField(default=dict, help_text="never a secret")),
            ("address", models.CharField(blank=True, max_length=50)),
            ("user_agent", models.CharField(blank=True, max_length=300)),
            ("tenant", walled_key("accounts.tenant")),
        ],
        options={
            "verbose_name_plural": "activity entries",
            "ordering": ["-id"],
            **OF_TENANTS,
            "indexes": [
                models.Index(fields=["tenant", "-id"], name="accounts_activity_recent"),
                models.Index(fields=["tenant", "actor", "-id"], name="accounts_activity_actor"),
                models.Index(fields=["tenant", "action", "-id"], name="accounts_activity_action"),
                models.Index(fields=["created_at"], name="accounts_activity_age"),
            ],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="WorkspaceExport",
        fields=[
            ("id", uuid_key()),
            (
                "state",
                models.CharField(
                    choices=[
                        ("waiting", "Waiting"),
                        ("working", "Working"),
                        ("ready", "Ready"),
                        ("failed", "Failed"),
                    ],
                    default="waiting",
                    max_length=10,
                ),
            ),
            ("asked_by", models.CharField(help_text="as in ActivityEntry", max_length=254)),
            ("created_at", models.DateTimeField(default=timezone.now)),
            ("done_count", models.PositiveIntegerField(default=0)),
            (
                "total_count",
                models.PositiveIntegerField(default=0, help_text="rows and files; 0: not counted"),
            ),
            (
                "reason",
                models.CharField(
                    blank=True,
                    choices=[
                        ("gave_up", "Gave Up"),
                        ("too_large", "Too Large"),
                        ("no_storage", "No Storage"),
                    ],
                    max_length=20,
                ),
            ),
            ("attempts", models.PositiveSmallIntegerField(default=0)),
            ("worker_id", models.UUIDField(blank=True, editable=False, null=True)),
            ("lease_until", models.DateTimeField(blank=True, editable=False, null=True)),
            (
                "archive",
                models.CharField(
                    blank=True, editable=False, help_text="storage key", max_length=200
                ),
            ),
            ("size_bytes", models.PositiveBigIntegerField(default=0)),
            ("finished_at", models.DateTimeField(blank=True, null=True)),
            ("expires_at", models.DateTimeField(blank=True, null=True)),
            ("tenant", tenant_key()),
        ],
        options={
            "ordering": ["-created_at"],
            **OF_TENANTS,
            "indexes": [
                models.Index(
                    condition=models.Q(("state__in", ["waiting", "working"])),
                    fields=["lease_until"],
                    name="accounts_workspaceexport_due",
                )
            ],
            "constraints": [
                models.UniqueConstraint(
                    condition=models.Q(("state__in", ["waiting", "working"])),
                    fields=("tenant",),
                    name="accounts_workspaceexport_one",
                ),
                models.CheckConstraint(
                    condition=models.Q(("state__in", ["waiting", "working", "ready", "failed"])),
                    name="accounts_workspaceexport_state",
                ),
            ],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="Program",
        fields=[
            ("id", uuid_key()),
            ("client_id", models.CharField(editable=False, max_length=500, unique=True)),
            ("name", models.CharField(help_text="as it calls itself", max_length=200)),
            ("redirect_uris", models.JSONField(default=list)),
            ("client_uri", models.CharField(blank=True, help_text="never fetched", max_length=500)),
            (
                "auth_method",
                models.CharField(
                    choices=[
                        ("none", "None"),
                        ("client_secret_basic", "Basic"),
                        ("client_secret_post", "Post"),
                    ],
                    default="none",
                    max_length=20,
                ),
            ),
            ("secret_hash", models.CharField(blank=True, editable=False, max_length=64)),
            ("created_at", models.DateTimeField(default=timezone.now)),
            (
                "last_used_at",
                models.DateTimeField(blank=True, help_text="when it last got tokens", null=True),
            ),
            (
                "published_at",
                models.DateTimeField(
                    blank=True,
                    help_text="when its own description was read; none: it registered",
                    null=True,
                ),
            ),
        ],
        options={
            "ordering": ["-created_at"],
            "indexes": [models.Index(fields=["created_at"], name="accounts_program_age")],
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(
                        ("auth_method__in", ["none", "client_secret_basic", "client_secret_post"])
                    ),
                    name="accounts_program_auth_method",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("auth_method", "none"), ("secret_hash", "")),
                        models.Q(
                            models.Q(("auth_method", "none"), _negated=True),
                            models.Q(("secret_hash", ""), _negated=True),
                        ),
                        _connector="OR",
                    ),
                    name="accounts_program_secret",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="ProgramAccess",
        fields=[
            ("id", uuid_key()),
            ("scope", models.CharField(help_text="words of Scope", max_length=100)),
            ("resource", models.CharField(max_length=500)),
            ("refresh_jti", models.UUIDField(default=uuid.uuid4, editable=False)),
            ("created_at", models.DateTimeField(default=timezone.now)),
            ("expires_at", models.DateTimeField()),
            (
                "last_used_at",
                models.DateTimeField(blank=True, help_text="to the minute", null=True),
            ),
            ("revoked_at", models.DateTimeField(blank=True, null=True)),
            (
                "membership",
                models.ForeignKey(
                    on_delete=models.CASCADE, related_name="programs", to="accounts.membership"
                ),
            ),
            (
                "program",
                models.ForeignKey(
                    on_delete=models.CASCADE, related_name="accesses", to="accounts.program"
                ),
            ),
            ("tenant", tenant_key()),
        ],
        options={
            "ordering": ["-created_at"],
            **OF_TENANTS,
            "indexes": [models.Index(fields=["expires_at"], name="accounts_programaccess_expires")],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="ProgramCode",
        fields=[
            ("id", uuid_key()),
            ("code_hash", models.CharField(editable=False, max_length=64)),
            ("redirect_uri", models.CharField(max_length=500)),
            ("scope", models.CharField(help_text="words of Scope", max_length=100)),
            ("resource", models.CharField(max_length=500)),
            (
                "code_challenge",
                models.CharField(editable=False, help_text="of method S256", max_length=128),
            ),
            ("created_at", models.DateTimeField(default=timezone.now)),
            ("expires_at", models.DateTimeField()),
            ("used_at", models.DateTimeField(blank=True, null=True)),
            (
                "membership",
                models.ForeignKey(
                    on_delete=models.CASCADE, related_name="+", to="accounts.membership"
                ),
            ),
            (
                "program",
                models.ForeignKey(
                    on_delete=models.CASCADE, related_name="codes", to="accounts.program"
                ),
            ),
            ("tenant", tenant_key()),
        ],
        options={
            "ordering": ["-created_at"],
            **OF_TENANTS,
            "indexes": [
                models.Index(fields=["code_hash"], name="accounts_programcode_hash"),
                models.Index(fields=["expires_at"], name="accounts_programcode_expires"),
            ],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="IdempotentRequest",
        fields=[
            ("id", models.BigAutoField(primary_key=True, serialize=False)),
            ("endpoint", models.CharField(help_text="method and route", max_length=100)),
            ("key_hash", models.CharField(editable=False, max_length=64)),
            ("fingerprint", models.CharField(editable=False, max_length=64)),
            ("created_at", models.DateTimeField(default=timezone.now)),
            ("holder_id", models.UUIDField(blank=True, editable=False, null=True)),
            ("lease_until", models.DateTimeField(blank=True, editable=False, null=True)),
            (
                "resource_id",
                models.UUIDField(blank=True, help_text="what it has made so far", null=True),
            ),
            ("status", models.PositiveSmallIntegerField(blank=True, null=True)),
            (
                "answer",
                models.TextField(blank=True, editable=False, help_text="JSON, as it was sent"),
            ),
            ("tenant", tenant_key()),
        ],
        options={
            "ordering": ["-id"],
            **OF_TENANTS,
            "indexes": [models.Index(fields=["created_at"], name="accounts_idempotentrequest_age")],
            "constraints": [
                models.UniqueConstraint(
                    fields=("tenant", "endpoint", "key_hash"), name="accounts_idempotentrequest_key"
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        ("status", None), models.Q(("answer", ""), _negated=True), _connector="OR"
                    ),
                    name="accounts_idempotentrequest_answer",
                ),
            ],
        },
        managers=ALL_TENANTS,
    ),
    migrations.CreateModel(
        name="CodeAlarm",
        fields=[
            (
                "hour",
                models.DateTimeField(
                    help_text="in which it began (UTC)", primary_key=True, serialize=False
                ),
            ),
            ("last_at", models.DateTimeField()),
            (
                "wrong_codes",
                models.PositiveIntegerField(
                    default=0, help_text="beyond those that are usual (CODE_ALARM)"
                ),
            ),
            (
                "networks",
                ArrayField(
                    base_field=models.CharField(max_length=50),
                    default=list,
                    help_text="from where: the first twenty",
                    size=None,
                ),
            ),
        ],
        options={
            "ordering": ["-hour"],
        },
    ),
    migrations.CreateModel(
        name="StaffSession",
        fields=[
            ("id", uuid_key()),
            ("began_at", models.DateTimeField(default=timezone.now)),
            ("last_seen_at", models.DateTimeField(default=timezone.now, help_text="to the minute")),
            (
                "proved_at",
                models.DateTimeField(
                    default=timezone.now, help_text="when both factors were given"
                ),
            ),
            ("ended_at", models.DateTimeField(blank=True, null=True)),
            (
                "is_from_new_place",
                models.BooleanField(default=False, help_text="its owner is told by mail"),
            ),
            ("told_at", models.DateTimeField(blank=True, null=True)),
            ("address", models.CharField(blank=True, max_length=50)),
            ("user_agent", models.CharField(blank=True, max_length=300)),
            (
                "user",
                models.ForeignKey(
                    on_delete=models.CASCADE,
                    related_name="staff_sessions",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
        ],
        options={
            "ordering": ["-began_at"],
        },
    ),
    migrations.CreateModel(
        name="ErasureReceipt",
        fields=[
            ("id", uuid_key()),
            (
                "kind",
                models.CharField(
                    choices=[
                        ("person", "Person"),
                        ("visitor", "Visitor"),
                        ("session", "Session"),
                        ("tenant", "Tenant"),
                    ],
                    max_length=10,
                ),
            ),
            (
                "subject",
                models.CharField(help_text="a keyed hash: an entry's pseudonym", max_length=40),
            ),
            (
                "workspace_id",
                models.UUIDField(blank=True, help_text="of the Tenant, also a former", null=True),
            ),
            (
                "person_id",
                models.UUIDField(blank=True, help_text="of the User, likewise", null=True),
            ),
            (
                "asked_by",
                models.CharField(
                    choices=[
                        ("themself", "Themself"),
                        ("admin", "Admin"),
                        ("operator", "Operator"),
                    ],
                    max_length=10,
                ),
            ),
            ("begun_at", models.DateTimeField(default=timezone.now)),
            ("finished_at", models.DateTimeField(blank=True, null=True)),
            ("erased", models.JSONField(default=dict, help_text="how many rows of each kind")),
            ("searched_columns", models.PositiveSmallIntegerField(default=0)),
            ("backups_until", models.DateField(blank=True, null=True)),
            ("logs_until", models.DateField(blank=True, null=True)),
        ],
        options={
            "ordering": ["-begun_at"],
            "indexes": [
                models.Index(
                    fields=["workspace_id", "-begun_at"], name="accounts_erasurereceipt_of"
                )
            ],
            "constraints": [
                models.UniqueConstraint(
                    condition=models.Q(("finished_at", None)),
                    fields=("kind", "subject", "workspace_id"),
                    name="accounts_erasurereceipt_open",
                    nulls_distinct=False,
                )
            ],
        },
    ),
]

# Composite foreign keys: no row can point into another tenant, whatever the code does.
BUILD_WALLS = ";\n".join(
    f"ALTER TABLE {table} ADD CONSTRAINT {table}_membership_same_tenant"
    " FOREIGN KEY (tenant_id, membership_id) REFERENCES accounts_membership (tenant_id, id)"
    " ON DELETE CASCADE"
    for table in (
        "accounts_session",
        "accounts_apitoken",
        "accounts_programaccess",
        "accounts_programcode",
    )
)

KEEP_ACTIVITY = """
ALTER TABLE accounts_activityentry ADD CONSTRAINT accounts_activityentry_tenant
    FOREIGN KEY (tenant_id) REFERENCES accounts_tenant (id) ON DELETE CASCADE;
CREATE FUNCTION accounts_is_pseudonymised(before text, after text) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT before = after OR EXISTS (
        SELECT FROM accounts_erasurereceipt
        WHERE kind = 'person' AND finished_at IS NULL
            AND position('erased-' || subject IN after) > 0
    )
$$;
CREATE FUNCTION accounts_keep_activity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND (
        OLD.created_at < now() - interval '2 years'
        OR NOT EXISTS (SELECT FROM accounts_tenant WHERE id = OLD.tenant_id)
    ) THEN
        RETURN OLD;
    END IF;
    IF TG_OP = 'UPDATE'
        AND (NEW.id, NEW.tenant_id, NEW.created_at, NEW.action, NEW.target_kind, NEW.target_id)
            = (OLD.id, OLD.tenant_id, OLD.created_at, OLD.action, OLD.target_kind, OLD.target_id)
        AND NEW.person_id IS NOT DISTINCT FROM OLD.person_id
        AND accounts_is_pseudonymised(OLD.actor, NEW.actor)
        AND accounts_is_pseudonymised(OLD.target_name, NEW.target_name)
        AND accounts_is_pseudonymised(OLD.details::text, NEW.details::text)
        AND (
            (NEW.address, NEW.user_agent) = (OLD.address, OLD.user_agent)
            OR NEW.address = '' AND NEW.user_agent = '' AND EXISTS (
                SELECT FROM accounts_erasurereceipt
                WHERE kind = 'person' AND finished_at IS NULL AND person_id = OLD.person_id
            )
        )
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'what is in accounts_activityentry stays as it is'
        USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER accounts_keep_activity BEFORE UPDATE OR DELETE ON accounts_activityentry
FOR EACH ROW EXECUTE FUNCTION accounts_keep_activity();
"""
LET_ACTIVITY_GO = """
DROP TRIGGER accounts_keep_activity ON accounts_activityentry;
DROP FUNCTION accounts_keep_activity();
DROP FUNCTION accounts_is_pseudonymised(text, text);
ALTER TABLE accounts_activityentry DROP CONSTRAINT accounts_activityentry_tenant;
"""
KEEP_RECEIPTS = """
CREATE FUNCTION accounts_keep_receipts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.finished_at IS NULL
        AND (NEW.id, NEW.kind, NEW.subject, NEW.asked_by, NEW.begun_at)
            = (OLD.id, OLD.kind, OLD.subject, OLD.asked_by, OLD.begun_at)
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'what is in accounts_erasurereceipt stays as it is'
        USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER accounts_keep_receipts BEFORE UPDATE OR DELETE ON accounts_erasurereceipt
FOR EACH ROW EXECUTE FUNCTION accounts_keep_receipts();
"""
LET_RECEIPTS_GO = """
DROP TRIGGER accounts_keep_receipts ON accounts_erasurereceipt;
DROP FUNCTION accounts_keep_receipts();
"""

# The four plans. Staff edit them afterwards.
SEED_PLANS = """
INSERT INTO accounts_plan (
    slug, name, max_documents, max_queries_per_month, max_connectors, schedule_frequencies,
    max_requests_per_minute, max_pages_per_crawl, blocks_overage
) VALUES
    ('free', 'Free', 25, 200, 1, '{manual}', 30, 25, true),
    ('starter', 'Starter', 500, 5000, 3, '{manual,weekly,24h}', 60, 100, false),
    ('pro', 'Pro', 5000, 50000, 10, '{manual,weekly,24h,6h}', 300, 500, false),
    ('enterprise', 'Enterprise', NULL, NULL, NULL, '{manual,weekly,24h,6h,1h}', 3000, 5000, false)
"""


class Migration(migrations.Migration):
    initial = True

    replaces = [
        ("accounts", "0001_initial"),
        ("accounts", "0002_tenant_walls"),
        ("accounts", "0003_plans"),
        ("accounts", "0004_people_prove_themselves"),
        ("accounts", "0005_invitations_and_walls"),
        ("accounts", "0006_sessions_tell_devices"),
        ("accounts", "0007_activity"),
        ("accounts", "0008_programs"),
        ("accounts", "0009_idempotent_requests"),
        ("accounts", "0010_published_programs"),
        ("accounts", "0011_guessing_is_counted"),
        ("accounts", "0012_staff_sessions_and_age"),
        ("accounts", "0013_age_of_open_sessions"),
        ("accounts", "0014_erasure_receipts"),
        ("accounts", "0015_erasures_are_kept"),
    ]
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        CreateModels(*MODELS),
        migrations.RunSQL(BUILD_WALLS, migrations.RunSQL.noop),
        migrations.RunSQL(KEEP_ACTIVITY, LET_ACTIVITY_GO),
        migrations.RunSQL(KEEP_RECEIPTS, LET_RECEIPTS_GO),
        migrations.RunSQL(SEED_PLANS, migrations.RunSQL.noop),
    ]
