"""A filter that writes a plan's price: `{% load prices %}`."""

from __future__ import annotations

from django import template
from django.conf import settings
from django.utils.formats import number_format
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from accounts.models import Plan

register = template.Library()

SIGNS = {"EUR": "€", "USD": "$", "GBP": "£"}


@register.filter
def monthly_price(plan: Plan) -> str:
    """Return "29 €" or "€29" as the page's language has it, or that it is free or on request."""
    price = plan.monthly_price
    if price is None:
        return _("Price on request")
    if not price:
        return _("Free")
    amount = number_format(price, 0 if price == price.to_integral_value() else 2)
    sign = SIGNS.get(settings.PRICE_CURRENCY, settings.PRICE_CURRENCY)
    if (get_language() or "").startswith("es") or len(sign) > 1:
        return f"{amount}\N{NO-BREAK SPACE}{sign}"
    return f"{sign}{amount}"
