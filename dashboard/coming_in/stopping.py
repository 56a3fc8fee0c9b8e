"""The page behind the link in mails to people who are not members: it stops the mails, or resumes
them."""

from django.http import HttpRequest, HttpResponse

from dashboard.coming_in.base import OutsideView
from query.services.mail_stops import find_recipient, resume_mails, stop_mails


class StopMailsView(OutsideView):
    """Stops or resumes mails. The link is the proof: only the reader of the mails has it."""

    def get(self, request: HttpRequest, token: str) -> HttpResponse:
        return self.render("coming_in/stop_mails.html", recipient=find_recipient(token))

    def post(self, request: HttpRequest, token: str) -> HttpResponse:
        change = resume_mails if request.POST.get("wish") == "resume" else stop_mails
        change(find_recipient(token))
        return self.get(request, token)
