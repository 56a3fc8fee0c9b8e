"""The columns of a company's tables, and whether customers may see them in answers."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from config.errors import InvalidValue
from dashboard.base import ADMINS, DashboardView
from dashboard.sources.forms import ColumnForm
from query.services.columns import decide_column, list_columns


class ColumnsView(DashboardView):
    allowed_roles = ADMINS
    section = "sources"
    has_form_at_own_address = True

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.show(ColumnForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        form = ColumnForm(request.POST)
        if not form.is_valid():
            return self.show(form, status=400)
        name, is_told = form.cleaned_data["name"], form.cleaned_data["is_told"]
        try:
            decide_column(self.tenant, name, is_told=is_told)
        except InvalidValue:
            form.add_error(
                "name",
                _(
                    "This name cannot be saved. It needs at least one letter or digit, and"
                    " you can set up to 500 columns."
                ),
            )
            return self.show(form, status=400)
        said = (
            _("“%(name)s” will be shown in answers from now on.")
            if is_told
            else _("“%(name)s” is now hidden from answers.")
        )
        return self.go_to("source_columns", said=said % {"name": name})

    def show(self, form: ColumnForm, *, status: int = 200) -> HttpResponse:
        columns = list_columns(self.tenant)
        return self.render("sources/columns.html", status=status, form=form, columns=columns)
