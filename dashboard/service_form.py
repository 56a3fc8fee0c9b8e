"""Forms whose rules are a service's."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import ClassVar

from django import forms

from config.errors import ServiceError
from dashboard.problems import describe_problem


class ServiceForm(forms.Form):
    """A form that a service's refusal is told in, at the field that is the reason."""

    # From an error's code to a field; what is not named here is told above the form.
    problem_fields: ClassVar[Mapping[str, str]] = {}
    status: int = HTTPStatus.BAD_REQUEST  # of the page that shows it again

    def tell(self, error: ServiceError) -> None:
        self.add_error(self.problem_fields.get(error.code), describe_problem(error))
        if error.status == HTTPStatus.SERVICE_UNAVAILABLE:  # no mistake of theirs
            self.status = error.status
