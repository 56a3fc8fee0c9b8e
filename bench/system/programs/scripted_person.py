"""A person in front of the dashboard, over plain HTTP: cookies, forms and redirects, no browser."""

from __future__ import annotations

from types import TracebackType
from urllib.parse import parse_qsl, urlsplit

import httpx
from lxml import html

TOO_MANY_PAGES = 10
SECONDS = 60


class ScriptedPerson:
    """Signs in when asked to, and answers the consent page; keeps its cookies between visits."""

    def __init__(self, base_url: str, email: str, password: str) -> None:
        self.typed = {"email": email, "password": password}
        self.host = urlsplit(base_url).netloc
        self.browser = httpx.Client(timeout=SECONDS)

    def __enter__(self) -> ScriptedPerson:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.browser.close()

    def answer(self, address: str, answer: str = "allow") -> dict[str, str]:
        """Opens an authorization address and presses the button `answer` on the page that asks.

        The parameters with which the program is called back; its address is not opened. Raises
        RuntimeError when no page leads there.
        """
        response = self.browser.get(address)
        for _ in range(TOO_MANY_PAGES):
            if response.has_redirect_location:
                target = response.url.join(response.headers["Location"])
                if target.netloc.decode() != self.host:
                    return dict(parse_qsl(str(target.query, "ascii")))
                response = self.browser.get(target)
            else:
                response = self.send_form(response, answer)
        raise RuntimeError(f"the sign-in goes in circles at {response.url.path}")

    def send_form(self, response: httpx.Response, answer: str) -> httpx.Response:
        """The page's form with such a button, or the one that asks for a password."""
        page = html.fromstring(response.text, base_url=str(response.url))
        for form in page.forms:
            if "password" in form.fields:
                values = {**dict(form.form_values()), **self.typed}
            elif form.xpath(".//button[@name='answer'][@value=$value]", value=answer):
                values = {**dict(form.form_values()), "answer": answer}
            else:
                continue
            # As a browser does; Django compares it with its own host
            headers = {
                "Origin": f"{response.url.scheme}://{self.host}",
                "Referer": str(response.url),
            }
            target = response.url.join(form.get("action") or str(response.url))
            return self.browser.post(target, data=values, headers=headers)
        raise RuntimeError(f"no form to go on with ({response.status_code}): {response.text[:500]}")
