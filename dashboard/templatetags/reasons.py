"""A filter that writes a reason in the page's language: `{% load reasons %}`."""

from django import template

from config import wording

register = template.Library()

register.filter("in_words", wording.in_words)
