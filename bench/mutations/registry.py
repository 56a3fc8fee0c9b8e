"""The published vulnerabilities of services like ours, and what stands between them and us."""

from __future__ import annotations

from dataclasses import dataclass

MATRIX = "config/tests/test_isolation_matrix.py::test_each_cell_answers_as_its_row_says"
BODIES = (
    "config/tests/test_isolation_matrix.py::test_what_is_another_tenants_in_a_body_was_never_there"
)


@dataclass(frozen=True)
class Edit:
    """`text` stands in `file` once; `instead` is the code without the protection."""

    file: str
    text: str
    instead: str


@dataclass(frozen=True)
class Vulnerability:
    """
    Args:
        number: of the table (docs/vulnerabilities.md).
        published: where others had it.
        edits: that take our answer out, all at once.
        tests: of which at least one fails then, and none before.
    """

    number: int
    title: str
    published: str
    answer: str
    edits: tuple[Edit, ...]
    tests: tuple[str, ...]


def row(
    number: int,
    title: str,
    published: str,
    answer: str,
    edits: list[tuple[str, str, str]],
    *tests: str,
) -> Vulnerability:
    return Vulnerability(number, title, published, answer, tuple(Edit(*edit) for edit in edits), tests)


ROWS = [
    row(
        1,
        "Another tenant's object by its id",
        "Dify CVE-2026-41947",
        "Rows are read through `for_tenant` alone, and another tenant's id answers as a missing one",
        [
            (
                "agents/services.py",
                '    return Agent.objects.for_tenant(tenant).select_related("tenant")',
                '    return Agent.all_tenants.select_related("tenant")',
            )
        ],
        f"{MATRIX}[GET /agents/<str:agent_id>]",
    ),
    row(
        2,
        "Preview of another tenant's file",
        "Dify CVE-2026-41949",
        "Preview, history, status and download find their source within the tenant",
        [
            (
                "sources/services/reading.py",
                "    source = Source.objects.for_tenant(tenant).filter(id=source_id).first() if source_id else None",
                "    source = Source.all_tenants.filter(id=source_id).first() if source_id else None",
            )
        ],
        f"{MATRIX}[GET /ingest/sources/<str:source_id>/preview]",
        f"{MATRIX}[GET /ingest/sources/<str:source_id>/history]",
        f"{MATRIX}[GET /ingest/sources/<str:source_id>/status]",
    ),
    row(
        3,
        "Foreign ids inside a body",
        "Dify CVE-2026-41950",
        "Every id of a body is looked up within the tenant; one that is not there refuses all",
        [
            (
                "agents/services.py",
                "    sources = Source.objects.for_tenant(tenant).filter(pk__in=wanted)",
                "    sources = Source.all_tenants.filter(pk__in=wanted)",
            )
        ],
        f"{BODIES}[PUT /agents/<str:agent_id>/sources source_ids]",
    ),
    row(
        4,
        "Path traversal to what is inside",
        "Dify CVE-2026-41948",
        "A file is stored under ids that we made, never under its name",
        [
            (
                "sources/originals/files.py",
                "    key = original_key(tenant, source_id)\n    try:\n        with reaching_storage():\n            return default_storage.save(key, file)",
                '    key = f"{tenant.pk}/{source_id}/{file.name}"\n    try:\n        with reaching_storage():\n            return default_storage.save(key, file)',
            )
        ],
        "sources/tests/test_files.py"
        "::test_a_file_is_stored_under_its_tenant_and_source_and_never_under_its_name",
    ),
    row(
        5,
        "Overwriting another tenant's knowledge",
        "Open WebUI CVE-2026-45398, GHSA-4g37-7p2c-38r9",
        "What changes a source locks it within the tenant; the matrix compares every row",
        [
            (
                "sources/services/reading.py",
                "    locked = Source.objects.for_tenant(tenant).select_for_update(no_key=True)",
                "    locked = Source.all_tenants.select_for_update(no_key=True)",
            )
        ],
        f"{MATRIX}[PATCH /ingest/sources/<str:source_id>]",
    ),
    row(
        6,
        "Somebody else's conversation",
        "Open WebUI CVE-2026-45349; Onyx CVE-2026-42276; AnythingLLM GHSA-jwqg-jfg3-x5vv",
        "A session is one of its tenant, agent and channel; the same id elsewhere is another",
        [
            (
                "query/conversations/memory.py",
                'f"{inquiry.tenant.pk}:turns:{agent}:{kept}:{hash_of(inquiry.session_id)}"',
                'f"turns:{kept}:{hash_of(inquiry.session_id)}"',
            )
        ],
        "query/tests/test_memory.py::test_the_same_id_is_another_session_elsewhere",
    ),
    row(
        7,
        "Deleting others' files",
        "Open WebUI CVE-2026-45671",
        "Deleting locks the source within the tenant, whatever state it is in",
        [
            (
                "sources/services/reading.py",
                "    locked = Source.objects.for_tenant(tenant).select_for_update(no_key=True)",
                "    locked = Source.all_tenants.select_for_update(no_key=True)",
            )
        ],
        f"{MATRIX}[DELETE /ingest/sources/<str:source_id>]",
    ),
    row(
        8,
        "A credential that is restricted in one header and not in another",
        "Open WebUI CVE-2026-45339",
        "A bearer token in `Authorization` is the one form of a credential that the API reads",
        [
            (
                "accounts/authentication.py",
                '        header = request.headers.get("Authorization", "")\n',
                '        given = request.headers.get("X-Api-Key", request.query_params.get("token"))\n'
                '        header = request.headers.get("Authorization", f"Bearer {given}" if given else "")\n',
            )
        ],
        "config/tests/test_credentials.py::test_a_credential_opens_by_its_one_form_alone",
    ),
    row(
        9,
        "A suspended person's other credential",
        "AnythingLLM CVE-2026-32717",
        "Every request looks up its person, whichever kind of token it brings",
        [
            (
                "accounts/authentication.py",
                "        .filter(membership__user__is_active=True)\n        .first()\n    )\n    if row is None or not hmac",
                "        .first()\n    )\n    if row is None or not hmac",
            )
        ],
        "accounts/tests/test_api_tokens.py::test_token_of_a_disabled_person_is_refused_at_once",
    ),
    row(
        10,
        "A one-time code used twice",
        "AnythingLLM GHSA-vv8w-wg6r-hq56",
        "Codes are normalised and used up under a row lock",
        [
            (
                "accounts/codes.py",
                "    OneTimeCode.objects.filter(pk=right[0].pk).update(used_at=timezone.now())\n",
                "",
            )
        ],
        "accounts/tests/test_otp.py::test_code_is_good_once",
        "accounts/tests/test_reset_password.py::test_code_is_good_once",
    ),
    row(
        11,
        "A reset whose token is null",
        "Flowise CVE-2026-41276, GHSA-f6hc-c5jr-878p",
        "A link is compared as the hash of what came, and is open only while it has an end",
        [
            (
                "accounts/services/invitations.py",
                "        invitation_hash=digest(token),\n        invitation_expires_at__gt=timezone.now(),\n        activated_at=None,",
                '        invitation_hash=digest(token) if token.strip(". ") else "",',
            ),
            (
                "accounts/api/serializers/members.py",
                "    token = StrictCharField(max_length=TOKEN_MAX_CHARS)",
                "    token = StrictCharField(max_length=TOKEN_MAX_CHARS, allow_blank=True)",
            ),
        ],
        "config/tests/test_credentials.py::test_nothing_is_no_secret",
    ),
    row(
        12,
        "A share token that can be turned into an API key",
        "RAGFlow CVE-2025-69286, GHSA-9j5g-g4xm-57w7",
        "Each kind of token has a type and salt of its own; API tokens are kept as hashes",
        [
            (
                "accounts/tokens.py",
                "    return SessionClaim(read_uuid(read_token(AccessToken, text), SESSION_CLAIM))\n\n\ndef read_cookie",
                "    return SessionClaim(read_uuid(read_token(UntypedToken, text), SESSION_CLAIM))\n\n\ndef read_cookie",
            )
        ],
        "accounts/tests/test_api_tokens.py"
        "::test_challenges_and_refresh_tokens_are_no_bearer_tokens",
        "accounts/tests/test_sessions.py::test_refresh_token_is_no_access_token",
    ),
    row(
        13,
        "Documents through a widget's token",
        "RAGFlow pull request 13834",
        "A visitor's session is signed for one agent and origin, and asks that agent, nothing else",
        [
            (
                "channels/visitors.py",
                'TimestampSigner(salt=f"{SALT}:{visit.agent.pk}:{visit.origin}")',
                "TimestampSigner(salt=SALT)",
            )
        ],
        "channels/tests/test_visitor_sessions.py::test_it_is_of_one_agent",
        "channels/tests/test_visitor_sessions.py::test_it_is_of_one_origin",
    ),
    row(
        14,
        "The sibling route that forgot the check",
        "RAGFlow 13203, 16864, 14725; AnythingLLM GHSA-p5rf-8p88-979c, GHSA-r872-gr59-vf5w,"
        " GHSA-p9pj-g2fw-q567; Flowise 6050, 5986, 5914",
        "The list of endpoints is that of the URL table: one without a row of the matrix fails",
        [
            (
                "agents/api/urls.py",
                "urlpatterns = [",
                'urlpatterns = [\n    path("agents/<str:agent_id>/twin", AgentView.as_view()),',
            )
        ],
        "config/tests/test_isolation_matrix.py::test_every_endpoint_has_a_row",
    ),
    row(
        15,
        "A scope lost in caches and globals",
        "Onyx 12580, 12623, 10827, 11769",
        "What a process remembers is listed, and holds no tenant's words or has its id in the key",
        [
            (
                "query/answering/topics.py",
                "def list_topics(",
                "@functools.cache\ndef list_topics(",
            )
        ],
        "config/tests/test_process_memory.py::test_what_a_process_remembers_is_listed",
    ),
    row(
        16,
        "Access checked when read, and not when filtered",
        "Onyx 10602, 10601",
        "An agent's sources are looked up for each question, also after one was deleted or moved",
        [
            (
                "agents/scope.py",
                "    if agent is None or not agent.is_scoped:\n        return None\n    return list_source_ids(tenant, agent)",
                "    if agent is None or not agent.is_scoped:\n        return None\n"
                "    if not hasattr(scope_of, str(agent.pk)):\n"
                "        setattr(scope_of, str(agent.pk), list_source_ids(tenant, agent))\n"
                "    kept: list[uuid.UUID] = getattr(scope_of, str(agent.pk))\n"
                "    return kept",
            )
        ],
        "query/tests/test_agent_queries.py::test_another_scope_holds_from_the_next_question",
        "query/tests/test_agent_queries.py"
        "::test_a_deleted_source_is_out_at_once_and_nothing_takes_its_place",
    ),
    row(
        17,
        "An unsigned mark of the tenant",
        "Onyx 13934, 14016",
        "Tenant and role come from the row that a signed token names",
        [
            (
                "accounts/tokens.py",
                "        return token_class(text)  # type",
                "        return token_class(text, verify=False)  # type",
            )
        ],
        "accounts/tests/test_api_tokens.py::test_forged_tokens_are_refused",
        "accounts/tests/test_sessions.py::test_forged_tokens_are_unauthorized_and_end_nothing",
    ),
    row(
        18,
        "Requests to the inside, by a redirect",
        "Open WebUI CVE-2026-45401; Typebot 2432",
        "Each hop is judged like the first address, where the connection is made",
        [
            (
                "config/http/client.py",
                "        parse_fetchable(url)\n        self._allowance.bytes_left = HEADERS_MAX_BYTES\n",
                "        self._allowance.bytes_left = HEADERS_MAX_BYTES\n"
                "        from config.http.addresses import resolve\n"
                "        self._allowance.find_addresses = resolve\n",
            )
        ],
        "config/tests/test_http_client.py::test_a_redirect_is_judged_like_an_address",
        "config/tests/test_http_client.py::test_a_redirect_to_another_private_port_is_refused",
    ),
    row(
        19,
        "Requests to the inside, by two readings of an address",
        "Open WebUI CVE-2026-45400",
        "One parser; what is connected to is the address that was judged",
        [
            (
                "config/http/addresses.py",
                "    if not all(is_public(str(address[0])) for _, address in addresses):",
                "    if host.replace('.', '').isdigit() and not is_public(host):",
            )
        ],
        "config/tests/test_http_addresses.py::test_every_way_to_write_a_private_address_is_refused",
        "config/tests/test_http_addresses.py"
        "::test_what_is_no_address_of_a_website_is_refused_without_asking_dns",
    ),
    row(
        20,
        "Requests to the inside, by a name that answers differently",
        "Typebot 2461, 2511; DocsGPT's check of addresses",
        "A name is resolved once, all its addresses are judged, and the judged one is connected to",
        [
            (
                "config/http/addresses.py",
                "    if not all(is_public(str(address[0])) for _, address in addresses):",
                "    if not any(is_public(str(address[0])) for _, address in addresses):",
            )
        ],
        "config/tests/test_http_addresses.py"
        "::test_one_private_address_among_public_ones_refuses_the_name",
    ),
    row(
        21,
        "Requests to the inside, by what a file says",
        "RAGFlow 15438, 14090; Dify CVE-2025-56520",
        "Files are parsed without a network, and nothing of XML is fetched",
        [
            (
                "sources/reading/confinement/limits.py",
                "    install_filter(libc)\n",
                "",
            )
        ],
        "sources/tests/test_sandbox.py::test_confined_process_reaches_no_port_of_this_machine",
    ),
    row(
        22,
        "Requests to the inside, because tenants are trusted",
        "AnythingLLM's collector",
        "Addresses are judged as numbers, whatever name leads to them; IPv6 too",
        [
            (
                "config/http/addresses.py",
                "        address.is_global\n        and not address.is_multicast",
                "        not address.is_multicast",
            )
        ],
        "config/tests/test_http_addresses.py::test_an_address_that_is_not_global_is_refused",
    ),
    row(
        23,
        "Scripts that are stored",
        "RAGFlow GHSA-jv5f-3mqh-cxwf, 13202, 10519, 9909; Open WebUI CVE-2026-44568; Typebot"
        " GHSA-hqmv-v56g-4m47",
        "Templates escape; originals are attachments of no type",
        [
            (
                "templates/dashboard/leads/lead.html",
                "{{ lead.intent_text|linebreaksbr }}",
                "{{ lead.intent_text|safe }}",
            )
        ],
        "dashboard/tests/test_leads.py::test_stored_text_does_not_run",
    ),
    row(
        24,
        "An image or link that carries a conversation out",
        "EchoLeak CVE-2025-32711",
        "Of a model's answer only plain text stays, and addresses that a passage holds as they are",
        [
            (
                "query/answering/cleaning.py",
                "    for _ in range(PASSES_MAX):\n        before = text",
                "    for _ in range(0):\n        before = text",
            )
        ],
        "query/tests/test_poisoned_documents.py"
        "::test_what_an_obedient_model_writes_does_nothing_where_it_is_shown",
    ),
    row(
        25,
        "A program started by what is configured",
        "Flowise CVE-2025-59528, CVE-2026-40933, CVE-2026-56274; DocsGPT; Langflow CVE-2025-3248",
        "MCP is served and never called: there is no command to configure, and no message without"
        " a token",
        [
            (
                "query/api/mcp.py",
                "class McpView(ProgramAPIView):\n    permission_classes = [IsAnyRole]",
                "class McpView(ProgramAPIView):\n    permission_classes = [AllowAny]",
            ),
            (
                "query/api/mcp.py",
                "from rest_framework.request import Request\n",
                "from rest_framework.permissions import AllowAny\nfrom rest_framework.request import Request\n",
            ),
        ],
        f"{MATRIX}[POST /tenants/me/mcp]",
        "query/tests/mcp/test_permissions.py"
        "::test_without_a_good_token_one_learns_where_to_get_one",
    ),
    row(
        26,
        "Stored text that is evaluated",
        "RAGFlow 13923, 14803, 14068",
        "No eval, pickle or template of a tenant's text: what calls them is listed, and nothing is",
        [
            (
                "query/answering/prompts.py",
                "    persona = disarm(inquiry.persona)[:PERSONA_MAX_CHARS].strip()",
                "    persona = eval(f'f{disarm(inquiry.persona)[:PERSONA_MAX_CHARS].strip()!r}')",
            )
        ],
        "config/tests/test_forbidden_calls.py::test_no_text_is_run",
    ),
    row(
        27,
        "Files without a login, by a guessed id",
        "Langchain-Chatchat CVE-2026-7844, CVE-2026-7847",
        "A link is signed for one source and a day",
        [
            (
                "sources/originals/downloads.py",
                "        tenant_id, source_id = signing.loads(\n            token, salt=SALT, max_age=settings.DOWNLOAD_URL_LIFETIME\n        )",
                '        tenant_id, source_id = signing.JSONSerializer().loads(\n            signing.b64_decode(token.partition(":")[0].encode())\n        )',
            )
        ],
        "sources/tests/test_download.py::test_a_forged_link_is_answered_as_an_expired_one",
        "sources/tests/test_download.py::test_a_link_is_good_for_24_hours",
    ),
    row(
        28,
        "SQL of strings, and paths of archives",
        "AnythingLLM GHSA-jwjx-mw2p-5wc7, GHSA-rh66-4w74-cf4m",
        "SQL by hand is in listed files, with bound parameters; names in archives are text",
        [
            (
                "query/insights.py",
                "from __future__ import annotations\n",
                "from __future__ import annotations\n\n"
                "from django.db import connection as _connection\n\n\n"
                "def count_like(text: str) -> int:\n"
                "    with _connection.cursor() as cursor:\n"
                "        cursor.execute(f\"SELECT count(*) FROM query_lead WHERE name = '{text}'\")\n"
                "        return int(cursor.fetchone()[0])\n\n",
            )
        ],
        "config/tests/test_tenant_walls.py::test_only_listed_files_speak_sql",
    ),
    row(
        29,
        "Small files that are endless work",
        "libexpat CVE-2025-66382; Tika GHSA-72hv-8253-57qq; pypdf's limits of streams",
        "A process of its own with limits on processor, memory, time and what comes out; and a"
        " tenant's file holds up no other tenant's",
        [
            (
                "sources/reading/confinement/limits.py",
                "        (resource.RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 1),",
                "        (resource.RLIMIT_CPU, 3600, 3600),",
            )
        ],
        "sources/tests/test_sandbox.py::test_cpu_time_is_limited",
    ),
    row(
        30,
        "A regular expression that takes for ever",
        "Onyx 13326",
        "Whatever reads a visitor's text does so in time that grows with its length",
        [
            (
                "query/leads/contacts.py",
                'LABEL = r"[^\\W_](?:[\\w-]{0,61}[^\\W_])?"',
                'LABEL = r"(?:[^\\W_]+-?)+"',
            )
        ],
        "query/tests/test_reading_time.py::test_a_question_is_read_in_time",
    ),
    row(
        31,
        "A webhook without a signature",
        "Chatwoot GHSA-7rw7-pc8v-mrr3; Typebot CVE-2026-39969; OneUptime CVE-2026-33143; zeptoclaw"
        " GHSA-j5hq-p423-c9vw; vercel/chat pull request 858",
        "The raw bytes are proved before anything of them is read",
        [
            (
                "webhooks/services.py",
                "    if not messenger.is_genuine(headers, body):",
                "    if headers.get('X-Hub-Signature-256') and not messenger.is_genuine(headers, body):",
            )
        ],
        "webhooks/tests/test_receiving.py::test_messenger_a_without_its_secret_is_refused",
        "webhooks/tests/test_receiving.py::test_the_secret_of_another_agent_is_a_wrong_one",
    ),
    row(
        32,
        "Open while no secret is set",
        "generalbots 1420; Open Chat Studio's channels; Botpress' WhatsApp handler",
        "An empty secret makes no call genuine",
        [
            (
                "channels/surfaces/telegram/surface.py",
                "        return bool(expected) and bool(right) and all(right)",
                "        return bool(right) and all(right)",
            )
        ],
        "channels/tests/test_telegram.py::test_an_empty_secret_makes_no_call_genuine",
    ),
    row(
        33,
        "A refusal that tells the right signature",
        "a webhook handler whose 401 held the expected signature",
        "A refusal is one constant, whatever was wrong",
        [
            (
                "webhooks/services.py",
                "        note_call(connection, was_refused=True)\n        raise Unauthorized(NOT_GENUINE)",
                "        note_call(connection, was_refused=True)\n"
                '        raise Unauthorized(f"{NOT_GENUINE} Not {messenger.config}.")',
            )
        ],
        "webhooks/tests/test_receiving.py::test_messenger_a_without_its_secret_is_refused",
    ),
    row(
        34,
        "Secrets in logs",
        "Onyx 13328",
        "No error of a call keeps its cause, whose text may hold the token's address",
        [
            (
                "channels/surfaces/calling.py",
                "        reason = why_silent(error)\n",
                '        reason = f"{why_silent(error)} ({url})"\n',
            )
        ],
        "channels/tests/test_telegram.py::test_secrets_stand_in_no_message_log_or_chain",
    ),
    row(
        35,
        "A message that is delivered twice",
        "Chatwoot pull requests 13523, 13359",
        "A unique constraint of the database, under the chat's lock",
        [
            (
                "webhooks/inbox.py",
                "    return [message for message in delivered if message.provider_message_id not in known]",
                "    return list(delivered)",
            ),
            (
                "webhooks/inbox.py",
                "        provider_message_id=message.provider_message_id,\n        kind",
                '        provider_message_id=f"{message.provider_message_id}:{timezone.now()}",\n        kind',
            ),
        ],
        "webhooks/tests/test_inbox.py::test_what_was_delivered_before_changes_nothing",
        "webhooks/tests/test_receiving.py"
        "::test_twenty_five_deliveries_at_once_keep_one_message_and_hand_it_over_once",
    ),
    row(
        36,
        "Secrets that come with the package",
        "Flowise 4614; R2R; RAGFlow; MaxKB; Onyx 12003, 12038; Dify",
        "Production does not start with a secret that is missing, short or well known",
        [
            (
                "config/environment.py",
                "    if lowered.startswith(WELL_KNOWN_PREFIXES) or any(",
                "    if False and any(",
            )
        ],
        "config/tests/test_settings.py::test_weak_secret_is_refused_and_not_shown",
    ),
    row(
        37,
        "Any website may ask",
        "Flowise 5901; AnythingLLM's embeds",
        "An origin stands in the agent's list to the byte; an empty list is nobody's",
        [
            (
                "channels/visitor_services.py",
                "    if origin not in agent.allowed_origins and not is_preview_pass(agent, preview_pass):",
                "    allowed = agent.allowed_origins\n"
                "    if allowed and origin not in allowed and not is_preview_pass(agent, preview_pass):",
            )
        ],
        "channels/tests/test_cors.py::test_an_empty_list_is_nobodys",
        "channels/tests/test_cors.py::test_a_page_of_any_other_origin_gets_nothing",
    ),
    row(
        38,
        "The API's description for everybody, and keys in pages",
        "Onyx 11837 and its widget's documentation",
        "In production the description is for who has a token or is signed in; a widget has no key",
        [
            (
                "config/rest/documentation.py",
                "        return [] if settings.PUBLIC_API_DOCS else super().get_authenticators()",
                "        return []",
            ),
            (
                "config/rest/documentation.py",
                "        return [AllowAny()] if settings.PUBLIC_API_DOCS else [IsAuthenticated()]",
                "        return [AllowAny()]",
            ),
        ],
        "config/tests/test_openapi.py::test_in_production_the_description_needs_a_token",
    ),
    row(
        39,
        "Formulas in an export",
        "Onyx 11754",
        "No cell of a CSV file begins as a formula",
        [
            (
                "config/spreadsheets.py",
                '    return f"\'{cell}" if starts else cell',
                "    return cell",
            )
        ],
        "query/tests/test_lead_management.py::test_no_cell_is_a_formula",
        "dashboard/tests/test_activity.py::test_the_file_holds_what_the_filter_shows_and_no_formula",
    ),
    row(
        40,
        "A path out of a chat's id",
        "Flowise 5428; Langflow's knowledge bases",
        "A session's id is hashed before it is part of a key, and is no path anywhere",
        [
            (
                "query/conversations/memory.py",
                "    return hashlib.sha256(session_id.encode()).hexdigest()",
                "    return session_id",
            )
        ],
        "query/tests/test_memory.py::test_redis_sees_neither_words_nor_the_session_id",
        "query/tests/test_memory.py::test_a_session_id_is_no_pattern",
    ),
    row(
        41,
        "A key that is sent to whoever the caller names",
        "LiteLLM CVE-2024-6587",
        "The model's server is the operator's setting, and no redirect takes the key elsewhere",
        [
            (
                "query/answering/llm.py",
                "    if answer.status_code != requests.codes.ok:\n        with closing(answer):\n            raise refusal(answer)\n    return answer\n",
                "    if answer.is_redirect:\n"
                '        request.url = answer.headers["Location"]\n'
                "        answer = own.send(request, ends_at=ends_at, max_bytes=WIRE_MAX_BYTES)\n"
                "    if answer.status_code != requests.codes.ok:\n        with closing(answer):\n            raise refusal(answer)\n    return answer\n",
            )
        ],
        "query/tests/test_llm.py::test_a_redirect_is_not_followed",
    ),
]
