"""What tenants, their visitors and their customers do, each in a thread of their own.

Nobody judges here. What is asked and answered, sent and accepted goes into the ledger.
"""

from __future__ import annotations

import random
import re
import threading
import time
import uuid
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

import requests

from bench.service import PASSWORD
from bench.system.chaos.client import MULTIPART, Heard, Person, multipart
from bench.system.chaos.copy import DOWN, ChaosCopy
from bench.system.chaos.facts import Fact, codes_in, make_fact
from bench.system.chaos.ledger import Ledger
from bench.system.chaos.stand_ins import PAGES, StandIns
from channels.tests.telegram_server import update
from channels.tests.whatsapp_server import text_message

TENANTS = ["acorn", "birch", "cedar", "dogwood"]
ORIGIN = "https://shop.example"
WISH = "I would like to buy a marker buoy"
EVENTS = {"Accept": "text/event-stream"}
CSRF = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')
LONG_PARAGRAPHS = 60
POLL_SECONDS = 2.0
SYNC_SECONDS = 600.0  # a longer one is given up here; the checker asks why


@dataclass
class Upload:
    """`deleting`: somebody has begun to delete it."""

    source_id: str
    facts: list[Fact]
    is_kept: bool
    deleting: bool = False


@dataclass
class BusyTenant:
    """A tenant, as its load knows it."""

    slug: str
    admin: Person
    chance: random.Random
    agent_id: str = ""
    seller_id: str = ""
    bot_token: str = ""
    whatsapp: dict[str, str] = field(default_factory=dict)
    uploads: list[Upload] = field(default_factory=list)
    deleted: list[Fact] = field(default_factory=list)
    rooms: list[Fact] = field(default_factory=list)  # of its website, as it was last synced
    lock: threading.Lock = field(default_factory=threading.Lock)

    def some_kept(self) -> Fact | None:
        """A fact that nobody deletes."""
        with self.lock:
            kept = [upload for upload in self.uploads if upload.is_kept]
        return self.chance.choice(self.chance.choice(kept).facts) if kept else None


class MixedLoad:
    def __init__(self, copy: ChaosCopy, ledger: Ledger, stand_ins: StandIns, seed: int) -> None:
        self.copy, self.ledger, self.stand_ins = copy, ledger, stand_ins
        self.stopping = threading.Event()
        self.threads: list[threading.Thread] = []
        self.companies = [self.make_company(slug, seed) for slug in TENANTS]

    def make_company(self, slug: str, seed: int) -> BusyTenant:
        email = f"admin@{slug}.example"
        admin = Person(
            self.copy.port, self.ledger, self.stopping, tenant=slug, email=email, password=PASSWORD
        )
        return BusyTenant(slug, admin, random.Random(f"{seed} {slug}"))  # noqa: S311 - no secret

    def prepare(self) -> None:
        """Tenants, their agents and channels; before anybody is killed."""
        for company in self.companies:
            self.copy.create_tenant_with(company.slug, company.admin.email)
            company.agent_id = self.make_agent(company, "Support", allowed_origins=[ORIGIN])
            mail = f"sales@{company.slug}.example"
            company.seller_id = self.make_agent(
                company, "Sales", lead_capture_enabled=True, lead_notification_email=mail
            )
            company.bot_token = self.stand_ins.telegram.add_bot()
            company.whatsapp = self.stand_ins.whatsapp.config()
            channels = f"/agents/{company.agent_id}/channels"
            for kind, config in (
                ("web", {}),
                ("messenger_a", {"bot_token": company.bot_token}),
                ("messenger_b", company.whatsapp),
            ):
                accepted(company.admin.insist("connect", "PUT", f"{channels}/{kind}", config))

    def make_agent(self, company: BusyTenant, name: str, **fields: object) -> str:
        origins = fields.pop("allowed_origins", None)
        made = company.admin.insist("agent", "POST", "/agents", {"name": name, **fields})
        agent_id = str(accepted(made).body["id"])
        if origins:
            changed = {"allowed_origins": origins}
            accepted(company.admin.insist("agent", "PUT", f"/agents/{agent_id}", changed))
        return agent_id

    def start(self) -> None:
        actors: list[tuple[Callable[[BusyTenant], None], float]] = [
            (self.upload_something, 7),
            (self.ask_something, 1.5),
            (self.write_to_messenger, 6),
            (self.visit, 5),
            (self.become_lead, 80),
            (self.invite_somebody, 50),
            (self.sign_in_and_out, 25),
            (self.delete_something, 30),
            (self.use_dashboard, 60),
            (self.change_website, 20),
        ]
        for company in self.companies:
            for act, seconds in actors:
                thread = threading.Thread(target=self.go_on, args=(act, company, seconds))
                thread.start()
                self.threads.append(thread)

    def stop(self) -> None:
        self.stopping.set()
        for thread in self.threads:
            thread.join()

    def go_on(self, act: Callable[[BusyTenant], None], company: BusyTenant, seconds: float) -> None:
        """Every `seconds` in the mean."""
        chance = random.Random(f"{company.slug} {act.__name__}")  # noqa: S311 - no secret
        while not self.stopping.wait(chance.uniform(0.3, 1.7) * seconds):
            try:
                act(company)
            except Exception as error:  # noqa: BLE001 - the bench's own fault: told, not hidden
                self.ledger.note("bench failed", act=act.__name__, error=repr(error))

    # --- Uploads ----------------------------------------------------------------------------------

    def new_facts(self, company: BusyTenant, count: int, where: str, **more: Any) -> list[Fact]:
        """In the ledger before they are anywhere else."""
        facts = [make_fact(company.slug, company.chance) for _ in range(count)]
        for fact in facts:
            told = {"word": fact.word, "thing": fact.thing, "code": fact.code}
            self.ledger.note("fact", tenant=company.slug, where=where, **told, **more)
        return facts

    def upload_something(self, company: BusyTenant) -> None:
        chance = company.chance
        shape = chance.choices(["note", "long", "docx", "broken"], [60, 15, 15, 10])[0]
        if shape == "broken":
            content = chance.choice([b"%PDF-1.7\n%garbage", b"PK\x03\x04garbage"]) + bytes(999)
            name = chance.choice(["broken.pdf", "broken.docx"])
            self.send_upload(company, name, content, key=str(uuid.uuid4()), fine=(201, 400, 422))
            return
        facts = self.new_facts(company, 3 if shape == "long" else 1, "upload")
        makers = {"note": make_note, "long": make_long, "docx": make_document}
        content, ending = makers[shape](facts), "docx" if shape == "docx" else "txt"
        key = str(uuid.uuid4()) if chance.random() < 0.7 else ""
        self.keep_upload(company, f"{facts[0].word}.{ending}", content, facts, key=key)

    def keep_upload(
        self, company: BusyTenant, name: str, content: bytes, facts: list[Fact], *, key: str
    ) -> None:
        codes = [fact.code for fact in facts]
        self.ledger.note("upload tried", tenant=company.slug, name=name, codes=codes, key=key)
        heard = self.send_upload(company, name, content, key=key)
        if heard is None or heard.status != 201:
            return
        source = heard.body
        self.ledger.note(
            "upload accepted",
            tenant=company.slug,
            source=source["source_id"],
            codes=codes,
            status=source["sync_status"],
        )
        if source["sync_status"] == "synced":
            upload = Upload(source["source_id"], facts, is_kept=company.chance.random() < 0.6)
            with company.lock:
                company.uploads.append(upload)
        if key and company.chance.random() < 0.15:
            self.send_upload_again(company, name, content, key, source["source_id"])

    def send_upload(
        self,
        company: BusyTenant,
        name: str,
        content: bytes,
        *,
        key: str,
        fine: tuple[int, ...] = (201,),
    ) -> Heard | None:
        """With a key again and again, until it is answered for good."""
        path, body = "/ingest/sources/upload", multipart(name, content)
        keys = {"Idempotency-Key": key} if key else {}
        send = company.admin.insist if key else company.admin.call
        headers = {**MULTIPART, **keys}
        return send("upload", "POST", path, content=body, headers=headers, fine=fine)

    def send_upload_again(
        self, company: BusyTenant, name: str, content: bytes, key: str, source_id: str
    ) -> None:
        again = self.send_upload(company, name, content, key=key)
        if again is not None and again.status == 201:
            same = again.body["source_id"] == source_id
            self.ledger.note("sent again", what="upload", source=source_id, is_same=same)

    def delete_something(self, company: BusyTenant) -> None:
        with company.lock:
            free = [one for one in company.uploads if not one.is_kept and not one.deleting]
            if not free:
                return
            upload = company.chance.choice(free)
            upload.deleting = True
        codes = [fact.code for fact in upload.facts]
        self.ledger.note("delete tried", tenant=company.slug, codes=codes, source=upload.source_id)
        path = f"/ingest/sources/{upload.source_id}"
        heard = company.admin.insist("delete", "DELETE", path, fine=(200, 404))
        if heard is not None and heard.status in (200, 404):
            self.ledger.note("deleted", tenant=company.slug, codes=codes, source=upload.source_id)
            with company.lock:
                company.uploads.remove(upload)
                company.deleted += upload.facts

    # --- Questions --------------------------------------------------------------------------------

    def ask_something(self, company: BusyTenant) -> None:
        chance = company.chance
        what = chance.choices(["own", "website", "foreign", "deleted"], [60, 10, 20, 10])[0]
        other = chance.choice([one for one in self.companies if one is not company])
        fact: Fact | None = None
        with company.lock:
            if what == "own" and company.uploads:
                upload = chance.choice(company.uploads)
                fact = None if upload.deleting else chance.choice(upload.facts)
            elif what == "deleted" and company.deleted:
                fact = chance.choice(company.deleted)
            elif what == "website" and company.rooms:
                fact = chance.choice(company.rooms)
        if what == "foreign":
            fact = other.some_kept()
        if fact is None:
            return
        path = chance.choice(["/agent/query", f"/agents/{company.agent_id}/query"])
        self.ask(company, fact, path, expects="own" if what == "website" else what)

    def ask(self, company: BusyTenant, fact: Fact, path: str, *, expects: str) -> None:
        as_stream = company.chance.random() < 0.25
        headers = EVENTS if as_stream else {}
        body = {"query": fact.question}
        heard = company.admin.call("ask", "POST", path, body, headers=headers)
        self.note_answer(company, fact, heard, expects=expects, as_stream=as_stream)

    def ask_last(self, company: BusyTenant, told: dict[str, str], *, expects: str) -> None:
        """By the ledger's own words, of a service that nobody kills any more."""
        fact = Fact(told["tenant"], told["word"], told["thing"], told["code"])
        body = {"query": fact.question}
        heard = company.admin.call("ask at the end", "POST", "/agent/query", body)
        self.note_answer(company, fact, heard, expects=expects, as_stream=False)

    def note_answer(
        self, company: BusyTenant, fact: Fact, heard: Heard, *, expects: str, as_stream: bool
    ) -> None:
        if heard.status != 200:
            return
        if as_stream and "event: done" not in heard.text:
            failed = "event: error" in heard.text
            self.ledger.note("stream broke", started=heard.started, has_error=failed)
            expects = "nothing"
        self.ledger.note(
            "answer",
            tenant=company.slug,
            code=fact.code,
            codes=codes_in(heard.text),
            expects=expects,
            started=heard.started,
            text="" if fact.code in heard.text else heard.text[:600],
        )

    def visit(self, company: BusyTenant) -> None:
        """A page with the widget: one conversation, one to three questions."""
        public, admin = f"/public/agents/{company.agent_id}", company.admin
        headers = {"Origin": ORIGIN}
        begun = admin.call("visit", "POST", f"{public}/sessions", {}, headers=headers)
        if begun.status != 201:
            return
        for _ in range(company.chance.randrange(1, 4)):
            fact = company.some_kept()
            if fact is None or self.stopping.is_set():
                return
            as_stream = company.chance.random() < 0.3
            body = {"session": begun.body["session"], "query": fact.question}
            sent = headers | (EVENTS if as_stream else {})
            heard = admin.call("visitor", "POST", f"{public}/query", body, headers=sent)
            self.note_answer(company, fact, heard, expects="own", as_stream=as_stream)

    # --- Messengers -------------------------------------------------------------------------------

    def write_to_messenger(self, company: BusyTenant) -> None:
        """One message in a chat of its own, delivered until it is taken, sometimes once more."""
        fact = company.some_kept()
        if fact is None:
            return
        chance = company.chance
        chat = str(chance.randrange(10**8, 10**9))
        if chance.random() < 0.5:
            kind, account = "telegram", company.bot_token
            payload = update(fact.question, chat_id=int(chat))
        else:
            kind, account = "whatsapp", company.whatsapp["phone_number_id"]
            payload = text_message(fact.question, chat_id=chat)

        def deliver() -> int:
            if kind == "telegram":
                return self.stand_ins.telegram.deliver(account, payload)
            url = f"{self.copy.url}/webhooks/messenger_b/agent/{company.agent_id}"
            return self.stand_ins.whatsapp.deliver(url, company.whatsapp, payload)

        self.deliver_until_taken(deliver)
        told = {"tenant": company.slug, "account": account, "chat": chat, "code": fact.code}
        if self.stopping.is_set():
            return
        self.ledger.note("message taken", messenger=kind, **told)
        if chance.random() < 0.2:
            with suppress(OSError):
                deliver()

    def deliver_until_taken(self, deliver: Callable[[], int]) -> None:
        while not self.stopping.is_set():
            started, status, text = time.time(), 0, ""
            try:
                status = deliver()
            except OSError as error:
                text = repr(error)
            more = {} if status == 200 else {"text": text, "retry_after": "", "request_id": ""}
            seconds = round(time.time() - started, 3)
            self.ledger.note("response", what="webhook", status=status, seconds=seconds, **more)
            if status == 200:
                return
            self.stopping.wait(POLL_SECONDS)

    # --- Leads and people -------------------------------------------------------------------------

    def become_lead(self, company: BusyTenant) -> None:
        session, path = str(uuid.uuid4()), f"/agents/{company.seller_id}/query"
        email = f"eva-{session[:8]}@buyer.example"
        contact = f"My name is Eva Soto and my e-mail is {email}, thanks"
        for text in (WISH, contact):
            body = {"query": text, "session_id": session}
            heard = company.admin.insist("lead", "POST", path, body)
            if heard is None or heard.status != 200:
                return
        self.ledger.note("lead accepted", tenant=company.slug, session=session, email=email)

    def invite_somebody(self, company: BusyTenant) -> None:
        email = f"guest-{uuid.uuid4().hex[:8]}@{company.slug}.example"
        body = {"email": email, "role": "viewer"}
        heard = company.admin.call("invite", "POST", "/tenants/me/members", body)
        if heard.status != 201:
            return
        self.ledger.note("invited", tenant=company.slug, email=email)
        while email not in self.stand_ins.mailbox.tokens:
            if self.stopping.wait(POLL_SECONDS):
                return
        token = self.stand_ins.mailbox.tokens[email]
        body = {"token": token, "password": PASSWORD}
        # An answer that got lost: the link was good once
        path, fine = "/auth/activate", (200, 201, 400)
        heard_or_none = company.admin.insist("activate", "POST", path, body, fine=fine)
        if heard_or_none is not None and heard_or_none.status in (200, 201):
            self.ledger.note("activated", tenant=company.slug, email=email)

    def sign_in_and_out(self, company: BusyTenant) -> None:
        """A refresh that got no answer is not repeated: the token might be spent."""
        admin = company.admin
        tokens = admin.log_in()
        if tokens is None:
            return
        refresh = {"refresh_token": tokens["refresh_token"]}
        heard = admin.call("refresh", "POST", "/auth/refresh", refresh)
        if heard.status != 200:
            return
        tokens = heard.body
        headers = {"Authorization": f"Bearer {tokens['access_token']}"}
        admin.call("me", "GET", "/auth/me", headers=headers)
        refresh = {"refresh_token": tokens["refresh_token"]}
        out = admin.insist("logout", "POST", "/auth/logout", refresh, fine=(200, 204, 401))
        if out is None or out.status not in (200, 204):
            return
        after = admin.insist("after logout", "GET", "/auth/me", headers=headers, fine=(401,))
        if after is not None:
            self.ledger.note("logged out", tenant=company.slug, status_after=after.status)

    def use_dashboard(self, company: BusyTenant) -> None:
        """Signs in as a browser does; writes an entry, and asks for an export."""
        browser = requests.Session()
        browser.headers["X-Forwarded-For"] = "198.51.100.7"
        browser.trust_env = False
        base = f"{self.copy.url}/dashboard"
        given = {"email": company.admin.email, "password": PASSWORD, "tenant_slug": company.slug}
        if not self.submit(browser, f"{base}/sign-in", f"{base}/sign-in", **given):
            return
        facts = self.new_facts(company, 1, "entry")
        entry = {"question": facts[0].question, "answer": facts[0].sentence}
        entries = f"{base}/unanswered/entries"
        if self.submit(browser, entries, f"{entries}/add", **entry):
            self.ledger.note("entry accepted", tenant=company.slug, codes=[facts[0].code])
        leaving = f"{base}/workspace/leaving"
        if company.chance.random() < 0.4 and self.submit(
            browser, leaving, f"{base}/workspace/exports", password=PASSWORD
        ):
            self.ledger.note("export accepted", tenant=company.slug)

    def submit(self, browser: requests.Session, page: str, form: str, **fields: str) -> bool:
        """Whether the form was taken: a redirect."""
        started, status, text = time.time(), 0, ""
        try:
            shown = browser.get(page, timeout=60)
            status, text = shown.status_code, shown.text
            match = CSRF.search(text)
            if status == 200 and match:
                data = {**fields, "csrfmiddlewaretoken": match[1]}
                sent = browser.post(form, data=data, timeout=60, allow_redirects=False)
                status, text = sent.status_code, sent.text
        except requests.RequestException as error:
            status, text = 0, repr(error)
        more = {}
        if status != 302:
            more = {"text": text[-500:], "retry_after": "", "request_id": ""}
        seconds = round(time.time() - started, 3)
        what = f"dashboard {form.rsplit('/', 1)[-1]}"
        self.ledger.note("response", what=what, status=status, seconds=seconds, **more)
        return status == 302

    # --- Websites ---------------------------------------------------------------------------------

    def change_website(self, company: BusyTenant) -> None:
        """A new version of all pages, and a sync of it: by hand, or by its schedule."""
        site = self.stand_ins.websites[company.slug]
        asked = {"source_type": "web", "source_url": site.url}
        company.admin.call("check", "POST", "/ingest/sources/preflight", asked)
        source_id = self.find_website(company)
        if source_id is None:
            return
        facts = self.new_facts(company, PAGES, "website", version=time.time())
        codes = [fact.code for fact in facts]
        self.ledger.note("website changed", tenant=company.slug, source=source_id, codes=codes)
        site.facts = facts
        while not self.stopping.is_set():
            if self.sync_website(company, source_id):
                self.ledger.note(
                    "website synced", tenant=company.slug, source=source_id, codes=codes
                )
                company.rooms = facts
                break
            self.stopping.wait(POLL_SECONDS)

    def find_website(self, company: BusyTenant) -> str | None:
        """Made at the first call, under one key: however often it is sent, there is one."""
        site = self.stand_ins.websites[company.slug]
        body = {"name": "Rooms", "source_type": "web", "source_url": site.url}
        keys = {"Idempotency-Key": f"website-of-{company.slug}"}
        heard = company.admin.insist("website", "POST", "/ingest/sources", body, headers=keys)
        if heard is None or heard.status != 201:
            return None
        return str(heard.body["source_id"])

    def sync_website(self, company: BusyTenant, source_id: str) -> bool:
        """Whether it ended well."""
        path, admin = f"/ingest/sources/{source_id}", company.admin
        before = self.read_synced_at(company, source_id)
        if company.chance.random() < 0.3:
            if not self.sync_by_schedule(company, source_id):
                return False
        else:
            fine = (202, 409)  # 409: our first call was heard, and its answer lost
            heard = admin.insist("sync", "POST", f"{path}/sync", fine=fine)
            if heard is None:
                return False
        self.ledger.note("sync accepted", tenant=company.slug, source=source_id)
        give_up_at = time.time() + SYNC_SECONDS
        while time.time() < give_up_at and not self.stopping.wait(POLL_SECONDS):
            heard = admin.call("status", "GET", f"{path}/status")
            if heard.status != 200:
                continue
            status = heard.body["sync_status"]
            if status == "error":
                reason = heard.body.get("error_message", "")
                self.ledger.note("sync failed", source=source_id, reason=reason)
                return False
            if status == "synced" and heard.body["last_synced_at"] != before:
                return True
        return False

    def sync_by_schedule(self, company: BusyTenant, source_id: str) -> bool:
        """The shortest one is an hour: the database is told that the hour is over."""
        path = f"/ingest/sources/{source_id}/schedule"
        heard = company.admin.insist("schedule", "PUT", path, {"frequency": "1h"})
        if heard is None or heard.status != 200:
            return False
        due = "UPDATE sources_schedule SET next_sync_at = now() WHERE source_id = %s"
        while not self.stopping.is_set():
            try:
                with self.copy.database() as connection:
                    connection.execute(due, [source_id])
                return True
            except DOWN:
                self.stopping.wait(POLL_SECONDS)
        return False

    def read_synced_at(self, company: BusyTenant, source_id: str) -> str:
        heard = company.admin.insist("status", "GET", f"/ingest/sources/{source_id}/status")
        return str(heard.body["last_synced_at"]) if heard and heard.status == 200 else ""


def accepted(heard: Heard | None) -> Heard:
    """Of what the load cannot begin without."""
    if heard is None or heard.status not in (200, 201):
        raise SystemExit(f"The load cannot begin: {heard}")
    return heard


# --- Files ----------------------------------------------------------------------------------------


def make_note(facts: list[Fact]) -> bytes:
    return f"{facts[0].sentence} The desk is open from nine to five.\n".encode()


def make_long(facts: list[Fact]) -> bytes:
    """At its beginning, in its middle and at its end: half of it is no version of it."""
    paragraphs = [
        f"Paragraph {number} of the handbook of the {facts[0].word}. Visitors keep to the marked"
        f" paths, and rule {number} holds for groups of more than {number + 3} people. " * 3
        for number in range(LONG_PARAGRAPHS)
    ]
    for place, fact in zip((0, LONG_PARAGRAPHS // 2, LONG_PARAGRAPHS), facts, strict=True):
        paragraphs.insert(place, fact.sentence)
    return "\n\n".join(paragraphs).encode()


def make_document(facts: list[Fact]) -> bytes:
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    package = "http://schemas.openxmlformats.org/package/2006"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    text = f"<w:p><w:r><w:t>{facts[0].sentence}</w:t></w:r></w:p>"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Override'
        f' PartName="/word/document.xml" ContentType="{main}"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="rId1"'
        f' Type="{office}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{word}"><w:body>{text}</w:body></w:document>',
    }
    content = BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{part}')
    return content.getvalue()
