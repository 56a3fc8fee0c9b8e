"""Tenants and the people in them, as our staff's commands make them; and what a name, slug or
password must be like.
"""

from dataclasses import dataclass

from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, models, transaction

from accounts.activity import record
from accounts.errors import AlreadyMember, InvalidRole, InvalidSlug, SlugAlreadyInUse, WeakPassword
from accounts.models import (
    Action,
    Language,
    Membership,
    Plan,
    Role,
    Tenant,
    UsageCounter,
    User,
)
from accounts.models.tenants import validate_slug
from config.errors import InvalidValue


@dataclass(frozen=True)
class NewMember:
    membership: Membership
    is_new_user: bool  # False: the person had an account, and keeps its password

    @property
    def tenant(self) -> Tenant:
        return self.membership.tenant


@transaction.atomic
def create_tenant(
    *,
    slug: str,
    name: str,
    plan: str,
    admin_email: str,
    admin_password: str,
    language: str = Language.SPANISH,
) -> NewMember:
    """A tenant and its first admin.

    Raises InvalidSlug, SlugAlreadyInUse, InvalidValue, and what create_user raises.
    """
    tenant = Tenant(
        slug=clean_slug(slug),
        name=clean_value(Tenant._meta.get_field("name"), name),
        plan=get_plan(plan),
        language=Language(language),
    )
    try:
        with transaction.atomic():
            tenant.save(force_insert=True)
    except IntegrityError as error:
        raise SlugAlreadyInUse from error
    return create_user(tenant, email=admin_email, password=admin_password, role=Role.ADMIN)


@transaction.atomic
def create_user(tenant: Tenant, *, email: str, password: str, role: str) -> NewMember:
    """A member of a tenant. Somebody who has an account keeps its password.

    Raises InvalidRole, InvalidValue, WeakPassword, AlreadyMember.
    """
    if role not in Role.values:
        raise InvalidRole
    user, is_new_user = get_or_create_user(email, password)
    membership, is_new = Membership.objects.for_tenant(tenant).get_or_create(
        user=user, defaults={"role": role}
    )
    if not is_new:
        raise AlreadyMember
    record(tenant, Action.MEMBER_JOINED, membership, role=role)
    return NewMember(membership, is_new_user)


def get_or_create_user(email: str, password: str) -> tuple[User, bool]:
    email = clean_value(User._meta.get_field("email"), User.objects.normalize_email(email))
    known = User.objects.filter(email=email).first()
    if known is not None:
        return known, False
    check_password_strength(password, User(email=email))
    return User.objects.get_or_create(email=email, defaults={"password": make_password(password)})


def check_password_strength(password: str, user: User) -> None:
    """Raises WeakPassword, whose message says what is missing."""
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise WeakPassword(" ".join(error.messages)) from error


def clean_slug(slug: str) -> str:
    slug = slug.strip().lower()
    try:
        validate_slug(slug)
    except ValidationError as error:
        raise InvalidSlug from error
    return slug


def clean_value(field: "models.Field[str, str]", value: str) -> str:
    """The value as the model's field accepts it. Raises InvalidValue."""
    try:
        return str(field.clean(value.strip(), None))
    except ValidationError as error:
        raise InvalidValue(f"{field.name}: {' '.join(error.messages)}") from error


def has_asked(tenant: Tenant) -> bool:
    """Return True if a question was ever answered."""
    counters = UsageCounter.objects.for_tenant(tenant)
    return counters.filter(metric=UsageCounter.Metric.QUERIES, used__gt=0).exists()


def list_plans() -> models.QuerySet[Plan]:
    """The plans, the smallest first."""
    return Plan.objects.order_by("max_requests_per_minute", "slug")


def get_plan(slug: str) -> Plan:
    plan = Plan.objects.filter(slug=slug).first()
    if plan is None:
        known = ", ".join(Plan.objects.values_list("slug", flat=True))
        raise InvalidValue(f"There is no plan {slug!r}. Plans: {known}.")
    return plan
