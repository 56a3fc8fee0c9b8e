"""A chat with an agent that says why, and the answers that were marked as wrong."""

from __future__ import annotations

import json
import uuid

from django.conf import settings
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _

from accounts.services.request_limits import limit_requests
from agents.errors import AgentIsInactive
from agents.services import get_agent
from config.errors import InvalidValue, PlanLimitReached, ServiceError
from config.language_model import READY, read_state
from dashboard.base import EVERYBODY, READERS, DashboardView, is_partial
from dashboard.playground.forms import AskForm, WrongAnswerForm
from dashboard.playground.words import list_words
from dashboard.problems import describe_problem
from query.presentation.event_stream import MEDIA_TYPE, stream_events, write_event
from query.services.asking import ask_and_explain_in_stream, require_active
from query.services.wrong_marks import list_marks, mark_wrong, take_back_mark
from query.understanding.inquiries import Inquiry

MARKS_A_PAGE = 50


class PlaygroundView(DashboardView):
    allowed_roles = EVERYBODY
    section = "agents"

    def get(self, request: HttpRequest, agent_id: uuid.UUID) -> HttpResponse:
        return self.render(
            "playground/playground.html",
            agent=get_agent(self.tenant, agent_id),
            tab="playground",
            form=AskForm(),
            wrong_form=WrongAnswerForm(auto_id=False),
            words=json.dumps(list_words()),
            own_model=describe_model(),
        )


def describe_model() -> dict[str, object] | None:
    """The name of the language model that bin/up serves, and whether it is ready; None without such
    a model."""
    if not settings.LLM_IS_OWN:
        return None
    is_ready = read_state(settings.DATA_DIR) == READY
    return {"name": settings.LLM_MODEL, "is_ready": is_ready}


class AskView(DashboardView):
    """Streams the events of the API, and behind them `why`. What fails before the first of them is
    an `error` event too, with the words for it."""

    allowed_roles = EVERYBODY
    section = "agents"

    def post(self, request: HttpRequest, agent_id: uuid.UUID) -> HttpResponseBase:
        agent = get_agent(self.tenant, agent_id)
        form = AskForm(request.POST)
        try:
            limit_requests(self.tenant)
            if not form.is_valid():
                raise InvalidValue(_("Write a question of up to 1,000 characters."))
            session = f"playground:{self.caller.membership.pk}:{form.cleaned_data['session']}"
            question = form.cleaned_data["question"]
            inquiry = Inquiry(self.tenant, question, require_active(agent), session_id=session)
            return stream_events(ask_and_explain_in_stream(inquiry))
        except ServiceError as error:
            return refuse(error)


def refuse(error: ServiceError) -> HttpResponse:
    content = {"error": {"code": error.code}, "text": describe_refusal(error)}
    return HttpResponse(
        write_event("error", content),
        status=error.status,
        content_type=MEDIA_TYPE,
        headers=error.headers,
    )


def describe_refusal(error: ServiceError) -> str:
    match error:
        case PlanLimitReached():
            return _("Your plan's questions for this month are used up, so agents do not answer.")
        case AgentIsInactive():
            return _("This agent is paused. An admin can activate it in its settings.")
        case InvalidValue():
            return error.message
        case _:
            return describe_problem(error)


class MarkWrongView(DashboardView):
    """Asked for by htmx, from the form below an answer."""

    allowed_roles = EVERYBODY
    section = "agents"

    def post(self, request: HttpRequest, agent_id: uuid.UUID) -> HttpResponse:
        agent = get_agent(self.tenant, agent_id)
        form = WrongAnswerForm(request.POST, auto_id=False)
        if not form.is_valid():
            return self.render_part(
                "playground/wrong_form.html", status=400, agent=agent, wrong_form=form
            )
        mark = mark_wrong(self.tenant, agent.pk, form.wrong, marked_by=self.caller.user.email)
        return self.render_part("playground/marked.html", agent=agent, mark=mark)


class MarksView(DashboardView):
    allowed_roles = READERS
    section = "agents"

    def get(self, request: HttpRequest, agent_id: uuid.UUID) -> HttpResponse:
        agent = get_agent(self.tenant, agent_id)
        marks = list_marks(self.tenant, agent.pk)
        page = Paginator(marks, MARKS_A_PAGE).get_page(request.GET.get("page"))
        return self.render("playground/marks.html", agent=agent, tab="marks", page=page)


class TakeBackView(DashboardView):
    allowed_roles = READERS
    section = "agents"

    def post(self, request: HttpRequest, agent_id: uuid.UUID, mark_id: uuid.UUID) -> HttpResponse:
        take_back_mark(self.tenant, agent_id, mark_id)
        if is_partial(request):
            return self.render_part("playground/taken_back.html")
        return self.go_to("agent_marks", agent_id, said=_("The mark was removed."))
