"""Cards of the back office's start page: workspaces, what nears its limit, and mails."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

from django.db.models import Count, F
from django.db.models.functions import TruncDate
from django.utils import timezone

from accounts.admin.start_page import Card, Figure, draw_days, list_address, start_card
from accounts.models import CodeAlarm, OutgoingMail, Signup, Tenant, UsageCounter
from accounts.plans.usage import this_month

DAYS = 14
NEAR = 0.9  # of a limit
STUCK_AFTER = timedelta(minutes=30)


@start_card("accounts.view_tenant")
def card_of_workspaces() -> Card:
    now = timezone.now()
    since = now - timedelta(days=DAYS - 1)
    made = Tenant.objects.filter(created_at__gte=since).annotate(day=TruncDate("created_at"))
    counts = Counter(dict(made.values_list("day").annotate(Count("pk")).order_by()))
    days = [(since + timedelta(days=number)).date() for number in range(DAYS)]
    leaving = Tenant.objects.exclude(deletion_asked_at=None).count()
    open_signups = Signup.objects.filter(expires_at__gt=now).count()
    return Card(
        "Workspaces",
        (
            Figure("All", f"{Tenant.objects.count():,}", list_address("accounts.tenant")),
            Figure(f"New in {DAYS} days", f"{counts.total():,}"),
            Figure("Sign-ups not finished", f"{open_signups:,}", list_address("accounts.signup")),
            Figure("Will be deleted", f"{leaving:,}", tone="warn" if leaving else ""),
        ),
        draw_days((f"{day:%d %b}", counts[day]) for day in days),
    )


@start_card("accounts.view_usagecounter")
def card_of_limits() -> Card:
    counters = UsageCounter.all_tenants.filter(
        period_start=this_month(),
        metric=UsageCounter.Metric.QUERIES,
        tenant__plan__max_queries_per_month__gt=0,
    )
    near = counters.filter(used__gte=F("tenant__plan__max_queries_per_month") * NEAR)
    over = counters.filter(used__gte=F("tenant__plan__max_queries_per_month")).count()
    near_count = near.count()
    named = near.select_related("tenant").order_by("-used")[:5]
    return Card(
        "Questions of this month",
        (
            Figure(
                f"Workspaces past {NEAR:.0%} of their limit",
                f"{near_count:,}",
                list_address("accounts.usagecounter"),
                tone="warn" if near_count else "",
            ),
            Figure("At or over it", f"{over:,}", tone="bad" if over else ""),
            *(Figure(counter.tenant.name, f"{counter.used:,}") for counter in named),
        ),
    )


@start_card("accounts.view_outgoingmail")
def card_of_mails() -> Card:
    now = timezone.now()
    mails = OutgoingMail.all_tenants
    stuck = mails.filter(next_attempt_at__isnull=False, created_at__lt=now - STUCK_AFTER).count()
    failed = mails.filter(failed_at__gte=now - timedelta(days=1)).count()
    sent = mails.filter(sent_at__gte=now - timedelta(days=1)).count()
    alarms = CodeAlarm.objects.filter(hour__gte=now - timedelta(days=1)).count()
    address = list_address("accounts.outgoingmail")
    return Card(
        "Mails of the last day",
        (
            Figure("Sent", f"{sent:,}", address),
            Figure("Waiting for over 30 minutes", f"{stuck:,}", address, "bad" if stuck else ""),
            Figure("Failed", f"{failed:,}", address, "bad" if failed else ""),
            Figure("Alarms of guessed codes", f"{alarms:,}", tone="bad" if alarms else ""),
        ),
    )
