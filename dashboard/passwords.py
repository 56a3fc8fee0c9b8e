"""What pages say about a new password, to people who are signed in and to those who are not yet."""

from django.utils.translation import gettext_lazy

PASSWORD_RULES = gettext_lazy(
    "At least 10 characters. It cannot be a common password, only digits, or similar to your"
    " e-mail address."
)
PASSWORD_CHANGED = gettext_lazy(
    "Your password has been changed and you have been signed out everywhere. Sign in with the"
    " new one."
)
