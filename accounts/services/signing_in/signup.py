"""Signing up: a workspace is asked for, and begins when its admin has proved their address."""

import uuid
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.hashers import check_password, make_password
from django.db import IntegrityError, models, transaction
from django.utils import timezone

from accounts.errors import EmailAlreadyRegistered, SlugAlreadyInUse
from accounts.mail.sending import send_mail
from accounts.models import Membership, Plan, Purpose, Role, Signup, Tenant, User
from accounts.services.signing_in.sessions import Challenge, Login, admit
from accounts.services.tenants import check_password_strength, clean_slug, clean_value
from accounts.signing_in.codes import mail_code, mail_failures_told, make_code
from accounts.signing_in.guessing import count_asking, count_sending
from config.database.acting import over_all_tenants
from config.database.pool import release_connection
from config.security.encryption import keyed_hash

PLAN = "free"  # of a new workspace
KNOWN_MAIL = "signup_known"


@dataclass(frozen=True)
class Wish:
    """A request to sign up, in the form in which it would be kept."""

    email: str
    password: str
    tenant_name: str
    slug: str
    language: str


@over_all_tenants()
def sign_up(
    *,
    email: str,
    password: str,
    tenant_name: str,
    slug: str,
    language: str,
    address: str,
    refuses_admins: bool,
) -> Signup:
    """Keeps the slug for a while, and mails the code that makes a workspace of it.

    The same wish again, password included, is the same signup with a fresh code: the way on after a
    mail that failed or got lost. Whether the address has an account makes no difference.

    Args:
        address: config.security.client_address.
        refuses_admins: refuses people who are an admin already, as the specification has it. Else
            they get another mail, of which the person who asked sees nothing.
    Raises InvalidSlug, InvalidValue, WeakPassword, EmailAlreadyRegistered, SlugAlreadyInUse,
    TooManyRequests; OtpSendFailed, after which the signup is there all the same.
    """
    wish = clean_wish(email, password, tenant_name, slug, language)
    count_asking(address)
    if refuses_admins and is_admin_somewhere(wish.email):
        raise EmailAlreadyRegistered
    if Tenant.objects.filter(slug=wish.slug).exists():
        raise SlugAlreadyInUse
    count_sending(wish.email, Purpose.SIGNUP)
    signup, code = keep_wish(wish)
    mail_signup(signup, code)
    return signup


def clean_wish(email: str, password: str, tenant_name: str, slug: str, language: str) -> Wish:
    """Checks the fields in the order in which errors are told: InvalidSlug, InvalidValue,
    WeakPassword."""
    slug = clean_slug(slug)
    email = clean_value(User._meta.get_field("email"), User.objects.normalize_email(email))
    tenant_name = clean_value(Signup._meta.get_field("tenant_name"), tenant_name)
    check_password_strength(password, User(email=email))
    return Wish(email, password, tenant_name, slug, language)


@over_all_tenants()
def is_admin_somewhere(email: str) -> bool:
    """True if an admin of some tenant has the address. Open invitations do not count, since anybody
    may invite anybody."""
    return User.objects.filter(
        email=email,
        is_active=True,
        memberships__role=Role.ADMIN,
        memberships__activated_at__isnull=False,
    ).exists()


def keep_wish(wish: Wish) -> tuple[Signup, str]:
    """Returns the signup and its code. Hashes exactly one password, whether or not the slug waits
    for somebody.

    Raises SlugAlreadyInUse, also when somebody else is a moment faster.
    """
    Signup.objects.filter(slug=wish.slug, expires_at__lte=timezone.now()).delete()
    pending = Signup.objects.filter(slug=wish.slug).first()
    try:
        if pending is None:
            return begin_signup(wish)
        return renew_signup(pending, wish)
    except IntegrityError as error:
        raise SlugAlreadyInUse from error


def begin_signup(wish: Wish) -> tuple[Signup, str]:
    password = hash_password(wish)
    signup = Signup(
        user_id=future_user_id(wish.email),
        email=wish.email,
        password=password,
        tenant_name=wish.tenant_name,
        slug=wish.slug,
        language=wish.language,
        expires_at=timezone.now() + settings.SIGNUP_LIFETIME,
    )
    with transaction.atomic():
        signup.save(force_insert=True)
        return signup, make_code(wish.email, Purpose.SIGNUP, signup)


def hash_password(wish: Wish) -> str:
    """Hashes the password with one salt per address: signups of an address with the same password
    have the same hash."""
    return make_password(wish.password, salt=keyed_hash(wish.email, purpose="signup_salt")[:32])


def renew_signup(signup: Signup, wish: Wish) -> tuple[Signup, str]:
    is_same_password = check_password(wish.password, signup.password)
    if signup.email != wish.email or not is_same_password:
        raise SlugAlreadyInUse
    signup.tenant_name, signup.language = wish.tenant_name, wish.language
    signup.expires_at = timezone.now() + settings.SIGNUP_LIFETIME
    # Not one transaction with the code: completing a signup locks its code first.
    is_there = Signup.objects.filter(pk=signup.pk).update(
        tenant_name=signup.tenant_name, language=signup.language, expires_at=signup.expires_at
    )
    if not is_there:
        raise SlugAlreadyInUse
    return signup, make_code(wish.email, Purpose.SIGNUP, signup)


def future_user_id(email: str) -> uuid.UUID:
    """The id of the address's account, or the id that its account will get."""
    made = User.objects.id_for(email)
    people = User.objects.filter(models.Q(email=email) | models.Q(pk=made))
    ids = dict(people.values_list("email", "pk"))
    if email in ids:
        return ids[email]
    # Taken by somebody who has changed their address since
    return uuid.uuid4() if ids else made


def find_pending_signup(email: str) -> Signup | None:
    """The newest pending signup of the address."""
    pending = Signup.objects.filter(email=email, expires_at__gt=timezone.now())
    return pending.order_by("-created_at").first()


def mail_signup(signup: Signup, code: str) -> None:
    """Mails the code; tells somebody who is an admin already that they are one. Raises
    OtpSendFailed."""
    is_known = is_admin_somewhere(signup.email)
    release_connection()
    if is_known:
        with mail_failures_told():
            link = f"{settings.BASE_URL}/dashboard/sign-in"
            send_mail(signup.email, KNOWN_MAIL, signup.language, {"link": link})
        return
    mail_code(
        signup.email,
        Purpose.SIGNUP,
        code,
        language=signup.language,
        tenant_name=signup.tenant_name,
        tenant_slug=signup.slug,
    )


@over_all_tenants()
def complete_signup(signup_id: uuid.UUID) -> Login | Challenge | None:
    """Makes the workspace, its admin and their session, in the transaction that used the code.

    None when the signup has expired, or its person is disabled.
    Raises SlugAlreadyInUse and EmailAlreadyRegistered when one came true since the signup.
    """
    # A code that is sent twice, as by a double click, must not make two workspaces.
    pending = Signup.objects.select_for_update().filter(expires_at__gt=timezone.now())
    signup = pending.filter(pk=signup_id).first()
    if signup is None:
        return None
    person = get_or_create_person(signup)
    if not person.is_active:
        return None
    if is_admin_somewhere(person.email):
        raise EmailAlreadyRegistered
    begin_workspace(signup, person)
    return admit(person, tenant_slug=signup.slug)


def get_or_create_person(signup: Signup) -> User:
    """Returns the person, whose row is locked."""
    person, _ = User.objects.select_for_update(no_key=True).get_or_create(
        email=signup.email, defaults={"id": signup.user_id, "password": make_password(None)}
    )
    return person


def begin_workspace(signup: Signup, admin: User) -> None:
    """Makes the workspace with its admin, who keeps the password that they have. Raises
    SlugAlreadyInUse."""
    tenant = create_tenant_of(signup)
    Membership.objects.for_tenant(tenant).create(user=admin, role=Role.ADMIN)
    if not admin.has_usable_password() and is_password_theirs(signup):
        admin.password = signup.password
        admin.save(update_fields=["password"])
    Signup.objects.filter(email=signup.email).delete()


def is_password_theirs(signup: Signup) -> bool:
    """True if all pending signups of the address have this password. Otherwise its reader may have
    typed the code that somebody else asked for, and no password lets in before a reset."""
    pending = Signup.objects.filter(email=signup.email, expires_at__gt=timezone.now())
    return not pending.exclude(password=signup.password).exists()


def create_tenant_of(signup: Signup) -> Tenant:
    """Raises SlugAlreadyInUse."""
    tenant = Tenant(
        id=signup.pk,
        slug=signup.slug,
        name=signup.tenant_name,
        language=signup.language,
        plan=Plan.objects.get(pk=PLAN),
    )
    try:
        with transaction.atomic():
            tenant.save(force_insert=True)
    except IntegrityError as error:
        raise SlugAlreadyInUse from error
    return tenant
