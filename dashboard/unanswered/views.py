"""Groups of questions that were not answered: the list, and each with its answer."""

from __future__ import annotations

import uuid

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from config.errors import Forbidden, ServiceError
from dashboard.base import READERS, DashboardView
from dashboard.paging import keyset_page, numbered_page, other_parameters
from dashboard.problems import describe_problem
from dashboard.unanswered.forms import SAVED, EntryForm
from query.models import QuestionGroup
from query.services import unanswered
from query.services.conversations import keeps_transcripts
from query.services.unanswered import GroupState
from sources.models import ENTRY_QUESTION_MAX_CHARS
from sources.services.entries import find_entries_source


class GroupsView(DashboardView):
    allowed_roles = READERS
    section = "unanswered"

    def get(self, request: HttpRequest) -> HttpResponse:
        asked = request.GET.get("state", "")
        state = GroupState(asked) if asked in list(GroupState) else GroupState.OPEN
        page = numbered_page(request, unanswered.list_groups(self.tenant, state))
        titles = unanswered.title_groups(self.tenant, [group.pk for group in page.rows])
        return self.render(
            "unanswered/groups.html",
            state=state,
            page=page,
            query=other_parameters(request, "page"),
            lines=[(group, titles[group.pk]) for group in page.rows if group.pk in titles],
            keeps_any=keeps_transcripts(self.tenant),
        )


class GroupView(DashboardView):
    """Members read it, and may set it aside; sources, and so answers, are for admins."""

    allowed_roles = READERS
    section = "unanswered"

    def get(self, request: HttpRequest, group_id: uuid.UUID) -> HttpResponse:
        return self.show(unanswered.get_group(self.tenant, group_id))

    def post(self, request: HttpRequest, group_id: uuid.UUID) -> HttpResponse:
        group = unanswered.get_group(self.tenant, group_id)
        if not self.is_admin:
            raise Forbidden
        form = EntryForm(request.POST)
        if form.is_valid():
            try:
                unanswered.answer_group(
                    self.tenant, group_id, **form.cleaned_data, by=self.caller.user.email
                )
            except ServiceError as error:
                form.add_error(None, describe_problem(error))
            else:
                return self.go_to("question_group", group_id, said=str(SAVED))
        return self.show(group, form)

    def show(self, group: QuestionGroup, form: EntryForm | None = None) -> HttpResponse:
        title = unanswered.title_groups(self.tenant, [group.pk]).get(group.pk, "")
        questions = unanswered.list_questions(self.tenant, group)
        return self.render(
            "unanswered/group.html",
            status=400 if form else 200,
            group=group,
            title=title,
            page=keyset_page(self.request, questions, owner=self.tenant),
            form=form or EntryForm(initial={"question": title[:ENTRY_QUESTION_MAX_CHARS]}),
            source=find_entries_source(self.tenant) if group.is_answered else None,
        )


class DismissView(DashboardView):
    allowed_roles = READERS
    section = "unanswered"

    def post(self, request: HttpRequest, group_id: uuid.UUID) -> HttpResponse:
        unanswered.dismiss_group(self.tenant, group_id)
        said = _("Dismissed. You can bring it back under “Dismissed”.")
        return self.go_to("unanswered", said=said)


class ReopenView(DashboardView):
    allowed_roles = READERS
    section = "unanswered"

    def post(self, request: HttpRequest, group_id: uuid.UUID) -> HttpResponse:
        unanswered.reopen_group(self.tenant, group_id)
        return self.go_to("question_group", group_id, said=_("The question is open again."))
