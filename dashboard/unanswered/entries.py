"""The company's own questions and answers: one text, which is a source like others."""

from __future__ import annotations

import uuid

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from config.errors import ServiceError
from dashboard.base import ADMINS, READERS, DashboardView
from dashboard.paging import numbered_page
from dashboard.problems import describe_problem
from dashboard.unanswered.forms import SAVED, DeletionForm, EntryForm
from sources.models import ENTRY_QUESTION_MAX_CHARS, Entry
from sources.services.entries import (
    add_entry,
    change_entry,
    delete_entry,
    find_entries_source,
    get_entry,
    list_entries,
)


class EntriesView(DashboardView):
    allowed_roles = READERS
    section = "unanswered"

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.show(EntryForm())

    def show(self, form: EntryForm, status: int = 200) -> HttpResponse:
        return self.render(
            "unanswered/entries.html",
            status=status,
            form=form,
            page=numbered_page(self.request, list_entries(self.tenant)),
            source=find_entries_source(self.tenant),
        )


class AddEntryView(EntriesView):
    """Adds an entry. A GET shows the list, for its address is the form's."""

    allowed_roles = ADMINS

    def get(self, request: HttpRequest) -> HttpResponse:
        """`?question=`: one whose answer was wrong."""
        question = request.GET.get("question", "").replace("\0", "")
        return self.show(EntryForm(initial={"question": question[:ENTRY_QUESTION_MAX_CHARS]}))

    def post(self, request: HttpRequest) -> HttpResponse:
        form = EntryForm(request.POST)
        if form.is_valid():
            try:
                add_entry(self.tenant, **form.cleaned_data, by=self.caller.user.email)
            except ServiceError as error:
                form.add_error(None, describe_problem(error))
            else:
                return self.go_to("entries", said=str(SAVED))
        return self.show(form, status=400)


class EntriesStateView(DashboardView):
    """How far their source is; asks again by itself while it is being read."""

    allowed_roles = READERS
    section = "unanswered"

    def get(self, request: HttpRequest) -> HttpResponse:
        source = find_entries_source(self.tenant)
        return self.render_part("unanswered/state.html", source=source)


class EntryView(DashboardView):
    allowed_roles = ADMINS
    section = "unanswered"

    def get(self, request: HttpRequest, entry_id: uuid.UUID) -> HttpResponse:
        entry = get_entry(self.tenant, entry_id)
        form = EntryForm(initial={"question": entry.question, "answer": entry.answer})
        return self.show(entry, form)

    def post(self, request: HttpRequest, entry_id: uuid.UUID) -> HttpResponse:
        entry = get_entry(self.tenant, entry_id)
        form = EntryForm(request.POST)
        if form.is_valid():
            try:
                change_entry(self.tenant, entry_id, **form.cleaned_data)
            except ServiceError as error:
                form.add_error(None, describe_problem(error))
            else:
                said = _(
                    "Saved. Agents keep giving the old answer until the new one has been read."
                )
                return self.go_to("entries", said=said)
        return self.show(entry, form, status=400)

    def show(self, entry: Entry, form: EntryForm, status: int = 200) -> HttpResponse:
        return self.render(
            "unanswered/entry.html",
            status=status,
            entry=entry,
            form=form,
            word=deletion_word(),
        )


class DeleteEntryView(DashboardView):
    allowed_roles = ADMINS
    section = "unanswered"

    def post(self, request: HttpRequest, entry_id: uuid.UUID) -> HttpResponse:
        get_entry(self.tenant, entry_id)
        if DeletionForm(request.POST).typed != deletion_word():
            return self.go_to("entry", entry_id)
        delete_entry(self.tenant, entry_id)
        return self.go_to("entries", said=_("Deleted. Agents no longer answer from it."))


def deletion_word() -> str:
    """The word to type to delete an entry, whose own name is a whole question."""
    return _("delete")
