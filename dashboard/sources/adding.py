"""New sources: files and websites."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import TooManyFilesSent
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from agents.services import list_agents
from config.database.pool import release_connection
from config.errors import Conflict, InvalidValue, MissingFields, ServiceError
from config.wording import in_words
from dashboard.base import ADMINS, DashboardView, is_partial
from dashboard.problems import describe_problem
from dashboard.sources.forms import NewWebsiteForm, UploadForm, WebsiteForm
from dashboard.sources.states import make_lines
from sources.errors import FileTooLarge, TooManyFiles
from sources.models import NAME_MAX_CHARS, Source
from sources.services.checking import check_website
from sources.services.creating import create_source
from sources.services.replacing import find_earlier_version, replace_file
from sources.services.syncing import start_sync
from sources.services.uploads import begin_upload


class AddFilesView(DashboardView):
    allowed_roles = ADMINS
    section = "sources"

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.show(UploadForm())

    def show(self, form: UploadForm, *, status: int = 200) -> HttpResponse:
        return self.render(
            "sources/add_files.html",
            status=status,
            form=form,
            tab="files",
            max_bytes=settings.UPLOAD_MAX_BYTES,
            first_agent=list_agents(self.tenant).first(),
        )


@method_decorator(csrf_exempt, name="dispatch")
class UploadFileView(AddFilesView):
    """Takes one file a request, each with its own progress bar; answers when the file is stored.

    Not even the token of the form is read before it is known that an admin sends it: `store`
    looks for it, where Django's middleware would have taken in the whole file first.
    """

    http_method_names = ["post"]
    takes_file = True

    def post(self, request: HttpRequest) -> HttpResponse:
        release_connection()  # the body may come slowly
        try:
            return self.store(request)
        except TooManyFilesSent as error:
            raise TooManyFiles from error
        except FileTooLarge as error:
            if is_partial(request):
                raise
            form = UploadForm({})
            form.errors.clear()
            form.add_error("file", describe_problem(error))
            return self.show(form, status=400)

    @method_decorator(csrf_protect)
    def store(self, request: HttpRequest) -> HttpResponse:
        form = UploadForm(request.POST, request.FILES)
        if not form.is_valid():
            if is_partial(request):
                raise MissingFields(" ".join(map(str, form.errors.get("file", []))))
            return self.show(form, status=400)
        file = form.cleaned_data["file"]
        replaces = form.cleaned_data["replaces"]
        try:
            if replaces:
                source = replace_file(self.tenant, replaces, file=file, filename=file.name)
            else:
                source = begin_upload(self.tenant, file=file, filename=file.name)
        except ServiceError as error:
            if is_partial(request):
                raise
            form.add_error("file", describe_problem(error))
            return self.show(form, status=400)
        return self.tell(source)

    def tell(self, source: Source) -> HttpResponse:
        if not is_partial(self.request):
            return self.go_to(
                "source", source.pk, said=_("The file has been saved and is being read.")
            )
        line = make_lines(self.tenant, [source])[0]
        return self.render_part("sources/upload_row.html", status=201, line=line)


class EarlierVersionView(DashboardView):
    """Asks whether the file that has this name already is to be replaced; answers 204 where none
    has."""

    allowed_roles = ADMINS
    section = "sources"

    def get(self, request: HttpRequest) -> HttpResponse:
        name = request.GET.get("name", "").replace("\0", "")[:NAME_MAX_CHARS]
        earlier = find_earlier_version(self.tenant, name)
        if earlier is None:
            return HttpResponse(status=204)
        return self.render_part("sources/earlier.html", earlier=earlier)


# --- Websites -------------------------------------------------------------------------------------


class CheckWebsiteView(DashboardView):
    """Looks at a website before it becomes a source. Answers htmx with the forms alone."""

    allowed_roles = ADMINS
    section = "sources"

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.show(WebsiteForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        form = WebsiteForm(request.POST)
        if not form.is_valid():
            return self.show(form, status=400)
        address = form.cleaned_data["source_url"]
        try:
            found = check_website(self.tenant, source_type="web", source_url=address)
        except InvalidValue as error:
            form.add_error("source_url", in_words(error.reason))
            return self.show(form, status=400)
        if not found.is_indexable:  # the form is right, and the page still cannot be read
            form.add_error("source_url", in_words(found.error))
            return self.show(form)
        name = found.sample_title.strip() or urlsplit(address).netloc
        named = {"source_url": address, "name": name[:NAME_MAX_CHARS]}
        return self.show(form, found=found, new_form=NewWebsiteForm(initial=named))

    def show(self, form: WebsiteForm, *, status: int = 200, **found: Any) -> HttpResponse:
        own = {"form": form, "tab": "website", **found}
        if is_partial(self.request):
            return self.render_part("sources/website_form.html", status=status, **own)
        return self.render("sources/add_website.html", status=status, **own)


class AddWebsiteView(CheckWebsiteView):
    http_method_names = ["post"]

    def post(self, request: HttpRequest) -> HttpResponse:
        form = NewWebsiteForm(request.POST)
        if form.is_valid():
            try:
                source = self.add(**form.cleaned_data)
            except ServiceError as error:
                form.add_error(*problem_of(error))
            else:
                return self.go_to("source", source.pk, said=_("The website is being read."))
        return self.show(WebsiteForm(request.POST), status=400, new_form=form)

    def add(self, *, source_url: str, name: str) -> Source:
        source = create_source(self.tenant, name=name, source_type="web", source_url=source_url)
        return start_sync(self.tenant, source.pk)


def problem_of(error: ServiceError) -> tuple[str | None, str]:
    """The field that it belongs to, and the words for it."""
    match error:
        case Conflict():
            return "source_url", _("This website is already one of your sources.")
        case InvalidValue():
            return "source_url", in_words(error.reason)
    return None, describe_problem(error)
