"""Secrets of channels, and what people write, at work in a running copy: connected, refused,
answering, failing, with its keys changed. Afterwards they are searched for (test_end_to_end.py).
"""

from __future__ import annotations

import base64
import json
import secrets
import subprocess
from dataclasses import dataclass, field
from urllib.parse import urlencode

import requests

from channels.tests import telegram_server, whatsapp_server
from channels.tests.messenger_server import error_page, garbage, hang_up, post
from channels.tests.telegram_server import SECRET_HEADER, lost_ok, too_many_requests, update
from channels.tests.whatsapp_server import SIGNATURE_HEADER, payload, signed_call, text_message
from config.embedded.processes import wait_until
from config.running.environment import REPOSITORY
from config.tests.service_copy import PASSWORD
from query.tests.chat_server import Handler, completion, error
from webhooks.tests.running_copy import ANSWER, Service
from webhooks.tests.secret_search import Search

WHATSAPP_SECRETS = ("system_user_token", "app_secret", "verify_token")
REFUSED_BY_MODEL = "parakeet"
PAGES = (
    "channels/channelconnection",
    "webhooks/chat",
    "webhooks/inboundmessage",
    "webhooks/reply",
    "agents/agent",
)


def new_secret(name: str) -> str:
    """One that base64, a URL and JSON each write in another way."""
    return f"{name}~{secrets.token_urlsafe(18)}/+="


def new_key() -> str:
    return base64.b64encode(secrets.token_bytes(32)).decode()


@dataclass
class Kept:
    """What the tests have put in, by name."""

    service: Service
    canary: str = field(default_factory=lambda: f"canary-{secrets.token_hex(12)}")
    secrets: dict[str, str] = field(default_factory=dict)
    people: str = field(default_factory=lambda: secrets.token_hex(12))  # in all that they write
    connected: dict[str, str] = field(default_factory=dict)  # with which phone number
    output: str = ""  # of commands

    def search(self) -> Search:
        return Search(self.secrets | {"what people write": self.people, "canary": self.canary})

    def config(self, name: str, **over: str) -> dict[str, str]:
        """Of a phone number that the messenger knows, but for `over`."""
        made = {field: new_secret(field) for field in WHATSAPP_SECRETS}
        config = self.service.whatsapp.config(**made) | over
        self.secrets |= {f"{name} {field}": config[field] for field in made}
        return config

    def bot_token(self, name: str) -> str:
        token = f"{secrets.randbelow(10**9)}:{secrets.token_urlsafe(26)}"
        self.secrets[name] = token
        return token

    def question(self, thing: str = "bicycle") -> str:
        return f"Does the boat to Ons island take my {thing} {self.people}?"


def settings_of(keys: dict[str, str]) -> dict[str, str]:
    """Of a copy that logs all it can."""
    return {"LOG_LEVEL": "DEBUG", "CHANNEL_ENCRYPTION_KEYS": f"{keys['old']},{keys['new']}"}


def put_to_work(service: Service, keys: dict[str, str]) -> Kept:
    kept = Kept(service, secrets={f"{name} key": key for name, key in keys.items()})
    live_through(kept)
    change_keys(kept)
    look_at_everything(kept)
    return kept


# --- What happens ---------------------------------------------------------------------------------


def live_through(kept: Kept) -> None:
    service = kept.service
    agent_id = service.make_agent("Searched", persona=f"You know {kept.canary}.")
    assert service.request("GET", "/agents/1", X_Request_ID=kept.canary).status == 404
    connect(kept, agent_id)
    refuse(kept, service.make_agent("Refused"))
    answer_and_fail(kept, agent_id)
    call_wrongly(kept, agent_id)
    service.redis().set("canary", base64.b64encode(b"1" + kept.canary.encode()))


def connect(kept: Kept, agent_id: str) -> None:
    service = kept.service
    token = service.telegram.add_bot(kept.bot_token("bot_token"))
    path = f"/agents/{agent_id}/channels/messenger_a"
    assert service.request("PUT", path, {"bot_token": token}).status == 200
    kept.secrets["secret_token"] = service.telegram.webhooks[token]["secret_token"]
    config = kept.connected = kept.config("connected")
    path = f"/agents/{agent_id}/channels/messenger_b"
    assert service.request("PUT", path, config).status == 200
    handshake = {
        "hub.mode": "subscribe",
        "hub.verify_token": config["verify_token"],
        "hub.challenge": "1158201444",
    }
    path = f"/webhooks/messenger_b/agent/{agent_id}?{urlencode(handshake)}"
    assert service.request("GET", path).text == "1158201444"


def refuse(kept: Kept, agent_id: str) -> None:
    """By messengers that quote what they were sent, do not answer, or are none."""
    service = kept.service
    token = kept.bot_token("refused bot_token")
    quoting = telegram_server.error(400, f"Bad Request: /bot{token}/setWebhook {token}")
    for answer in (None, quoting, hang_up, garbage, error_page(502)):
        if answer is not None:
            service.telegram.fail(answer, name="setWebhook")
        body = {"bot_token": token}
        refused = service.request("PUT", f"/agents/{agent_id}/channels/messenger_a", body)
        assert (refused.status, refused.body["error"]["code"]) == (400, "CHANNEL_CONNECT_FAILED")
    config = kept.config("refused", app_secret=new_secret("app_secret"))
    words = f"Error validating access token: {config['system_user_token']} is no good"
    for answer in (None, whatsapp_server.error(190, words, status=401), hang_up):
        if answer is not None:
            service.whatsapp.fail(answer)
        refused = service.request("PUT", f"/agents/{agent_id}/channels/messenger_b", config)
        assert (refused.status, refused.body["error"]["code"]) == (400, "CHANNEL_CONNECT_FAILED")
    too_much = {**config, "phone_number_id": 7}
    assert (
        service.request("PUT", f"/agents/{agent_id}/channels/messenger_b", too_much).status == 400
    )


def answer_and_fail(kept: Kept, agent_id: str) -> None:
    service, token = kept.service, kept.secrets["bot_token"]
    service.model.says(lambda handler: answer_or_quote(kept, handler))
    quoted = f"Bad Request: cannot send with {token}, {kept.secrets['secret_token']}"
    troubles = {
        1: too_many_requests(1),
        2: hang_up,
        3: telegram_server.error(400, quoted),
        4: telegram_server.error(403, f"Forbidden: {quoted}"),
        5: telegram_server.error(500, quoted),
        6: lost_ok,
        7: garbage,
    }
    for chat, trouble in troubles.items():
        service.telegram.fail(trouble, name="sendMessage", chat_id=chat)
    for chat in range(1, 9):
        message = update(kept.question(REFUSED_BY_MODEL if chat == 8 else "bicycle"), chat_id=chat)
        assert service.telegram.deliver(token, message) == 200
    words = kept.question()
    assert service.hear_on_whatsapp(agent_id, kept.connected, words, "34600444555") == 200
    service.wait_until_idle()
    answered = {sent.chat_id for sent in service.telegram.sent if sent.account == token}
    assert answered == {*"125678"}
    assert len(service.whatsapp.texts("34600444555")) == 1
    service.telegram.revoke(token)
    message = update(kept.question(), chat_id=9)
    assert service.telegram.deliver(token, message) == 200
    failing = (
        "SELECT count(*) FROM channels_channelconnection"
        " WHERE channel_type = 'messenger_a' AND status = 'failing' AND agent_id = %s"
    )
    assert wait_until(lambda: service.count(failing, agent_id) == 1, timeout_seconds=60)


def answer_or_quote(kept: Kept, handler: Handler) -> None:
    """A model that once answers with an error, in the words that it was asked."""
    asked = handler.chat.received[-1].text
    if REFUSED_BY_MODEL in asked:
        error(400, json.dumps({"error": {"message": asked, "code": "bad_request"}}))(handler)
    else:
        handler.send("application/json", json.dumps(completion(ANSWER)).encode())


def call_wrongly(kept: Kept, agent_id: str) -> None:
    """Without a proof, with that of something else, and with one but no JSON."""
    url = f"{kept.service.copy.url}/webhooks"
    on_a, on_b = f"{url}/messenger_a/{agent_id}", f"{url}/messenger_b/agent/{agent_id}"
    number, words = kept.connected["phone_number_id"], kept.question()
    body = json.dumps(payload(number, text_message(words))).encode()
    proof = {SIGNATURE_HEADER: f"sha256={'0' * 64}", "Content-Type": "application/json"}
    assert [post(on_b, body, headers) for headers in ({}, proof)] == [401, 401]
    assert post(on_a, body, {SECRET_HEADER: kept.secrets["bot_token"]}) == 401
    genuine, _ = signed_call({}, kept.connected["app_secret"])
    assert post(on_b, body, genuine) == 401
    broken = kept.question()
    assert post(on_a, broken.encode(), {SECRET_HEADER: kept.secrets["secret_token"]}) == 400
    handshake = {"hub.mode": "subscribe", "hub.verify_token": kept.secrets["secret_token"]}
    path = f"/webhooks/messenger_b/agent/{agent_id}?{urlencode(handshake)}"
    assert kept.service.request("GET", path).status == 401


def change_keys(kept: Kept) -> None:
    """As an operator does it; the running copy knows both."""
    service = kept.service
    first = ",".join((kept.secrets["new key"], kept.secrets["old key"]))
    kept.output += manage(service, "rotate_keys", CHANNEL_ENCRYPTION_KEYS=first)
    assert service.count("SELECT count(DISTINCT key_id) FROM sources_connection") == 1
    agent_id = service.rows("SELECT id FROM agents_agent WHERE name = 'Searched'")[0][0]
    message = kept.question()
    assert service.hear_on_whatsapp(str(agent_id), kept.connected, message, "34600444666") == 200
    assert len(service.whatsapp.wait_for_texts(1, "34600444666")) == 1
    handled = "SELECT count(*) FROM webhooks_inboundmessage WHERE handled_at IS NULL"
    assert wait_until(lambda: service.count(handled) == 0, timeout_seconds=60)


def manage(service: Service, *arguments: str, **environ: str) -> str:
    """Its output and its log."""
    done = subprocess.run(
        [str(REPOSITORY / "bin" / "manage"), *arguments],
        env={**service.copy.environ, **environ},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout + done.stderr


def look_at_everything(kept: Kept) -> None:
    service = kept.service
    ids = [row[0] for row in service.rows("SELECT id FROM agents_agent")]
    paths = ["/agents", "/tenants/me", "/ingest/sources", "/auth/me", "/schema"]
    paths += [f"/agents/{agent_id}{more}" for agent_id in ids for more in ("", "/channels")]
    assert [service.request("GET", path).status for path in paths] == [200] * len(paths)
    look_at_back_office(kept)


def look_at_back_office(kept: Kept) -> None:
    service = kept.service
    become_staff = "UPDATE accounts_user SET is_staff = true, is_superuser = true RETURNING id"
    assert len(service.rows(become_staff)) == 1
    with requests.Session() as browser:
        login = f"{service.copy.url}/admin/login/"
        browser.get(login)
        form = {"username": service.copy.email, "password": PASSWORD, "next": "/admin/"}
        form["csrfmiddlewaretoken"] = browser.cookies["csrftoken"]
        assert browser.post(login, form, headers={"Referer": login}).url.endswith("/admin/")
        for page in PAGES:
            table = page.replace("/", "_")
            newest = f"SELECT id FROM {table} ORDER BY id DESC LIMIT 20"  # noqa: S608 - ours
            keys = [row[0] for row in service.rows(newest)]
            assert keys, table
            for path in (f"{page}/", *(f"{page}/{key}/change/" for key in keys)):
                answer = browser.get(f"{service.copy.url}/admin/{path}")
                assert answer.status_code == 200, path
                service.answers.append(f"{answer.headers}\n{answer.text}")
