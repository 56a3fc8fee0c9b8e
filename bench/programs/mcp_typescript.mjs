// The official TypeScript clients against a running copy: one line a check, exit code 1 if one fails.
//
//   ADDRESS=http://127.0.0.1:8000/tenants/me/mcp QUESTION="…" NODE_MODULES=…/node_modules \
//     TOKEN=… node bench/programs/mcp_typescript.mjs [--sdk] [--legacy] [--limited]
//     EMAIL=… PASSWORD=… node bench/programs/mcp_typescript.mjs …
//
// With TOKEN by a bearer token; with EMAIL and PASSWORD by OAuth, as a program that nobody has
// registered. --sdk: @modelcontextprotocol/sdk (1.x, handshake) for @modelcontextprotocol/client (2.x).
// --legacy: the handshake of the revisions before 2026-07-28. --limited: last, asks until it is refused.
// ABSENT: a question that the documents do not answer.

import { createRequire } from "node:module";
import { resolve } from "node:path";
import { Person } from "./person.mjs";

const { ADDRESS, TOKEN, EMAIL, PASSWORD, QUESTION } = process.env;
const ABSENT = process.env.ABSENT ?? "How many moons does the planet Jupiter have?";
const flags = new Set(process.argv.slice(2));
const isOld = flags.has("--sdk");
const require = createRequire(resolve(process.env.NODE_MODULES ?? "node_modules", "package.json"));
const { Client, StreamableHTTPClientTransport } = isOld
  ? {
      ...require("@modelcontextprotocol/sdk/client/index.js"),
      ...require("@modelcontextprotocol/sdk/client/streamableHttp.js"),
    }
  : require("@modelcontextprotocol/client");

const REDIRECT_URL = "http://127.0.0.1:33418/callback";
const SCOPES = "ask sources";
const EVERYBODYS_TOOLS = ["ask", "list_agents"];
const MAX_CALLS = 5000;

let failures = 0;

async function check(name, work) {
  try {
    console.log(`ok    ${name}: ${await work()}`);
  } catch (error) {
    failures += 1;
    console.log(`FAIL  ${name}: ${error.stack ?? error}`);
  }
}

function expect(condition, what) {
  if (!condition) throw new Error(what);
}

async function refusal(work) {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was refused");
}

const statusOf = (error) => error.status ?? error.data?.status ?? error.code ?? error.constructor.name;
const firstLine = (error) => `${error.constructor.name}: ${error.message.split("\n")[0].slice(0, 160)}`;

// --- Connecting -----------------------------------------------------------------------------------

function makeClient() {
  const mode = flags.has("--legacy") ? "legacy" : "auto";
  return new Client({ name: "bench", version: "1" }, isOld ? {} : { versionNegotiation: { mode } });
}

function bearer(token) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  return new StreamableHTTPClientTransport(new URL(ADDRESS), { requestInit: { headers } });
}

async function connect(transport) {
  const client = makeClient();
  await client.connect(transport);
  return client;
}

// What a desktop program keeps, with a person who answers the consent page at once.
class Program {
  clientMetadata = {
    client_name: "A bench in TypeScript",
    redirect_uris: [REDIRECT_URL],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    scope: SCOPES,
  };

  constructor(answer = "allow") {
    this.answer = answer;
    this.person = new Person(EMAIL, PASSWORD);
    this.stateText = crypto.randomUUID();
  }

  get redirectUrl() {
    return REDIRECT_URL;
  }

  state() {
    return this.stateText;
  }

  clientInformation() {
    return this.information;
  }

  saveClientInformation(information) {
    this.information = information;
  }

  tokens() {
    return this.kept;
  }

  saveTokens(tokens) {
    this.kept = tokens;
  }

  saveCodeVerifier(verifier) {
    this.verifier = verifier;
  }

  codeVerifier() {
    return this.verifier;
  }

  saveDiscoveryState(state) {
    this.discovered = state;
  }

  discoveryState() {
    return this.discovered;
  }

  async redirectToAuthorization(url) {
    this.asked = url;
    this.cameBack = await this.person.answer(url, REDIRECT_URL, this.answer);
  }

  makeTransport() {
    return new StreamableHTTPClientTransport(new URL(ADDRESS), { authProvider: this });
  }

  // The first connection is refused, which starts the consent; the second has its tokens.
  async connect() {
    const transport = this.makeTransport();
    const error = await refusal(() => makeClient().connect(transport));
    if (!this.cameBack) throw error;
    const came = this.cameBack.searchParams;
    expect(came.get("state") === this.stateText, "the state came back");
    if (came.has("error")) throw new Error(came.get("error"));
    await transport.finishAuth(isOld ? came.get("code") : came);
    return connect(this.makeTransport());
  }

  // RFC 6749, section 6; RFC 7009
  async post(path, fields) {
    const body = new URLSearchParams({ client_id: this.information.client_id, ...fields });
    const response = await fetch(new URL(path, ADDRESS), { method: "POST", body });
    const text = await response.text();
    return { status: response.status, body: text ? JSON.parse(text) : {} };
  }
}

// --- What both ways must do -----------------------------------------------------------------------

function call(client, name, given = {}, options = {}) {
  const params = { name, arguments: given };
  return isOld ? client.callTool(params, undefined, options) : client.callTool(params, options);
}

async function ask(client, question, options) {
  const result = await call(client, "ask", { question }, options);
  expect(!result.isError, JSON.stringify(result.content));
  return result;
}

async function lists(client) {
  const names = (await client.listTools()).tools.map((tool) => tool.name);
  expect(EVERYBODYS_TOOLS.every((name) => names.includes(name)), `tools are ${names}`);
  return names.join(", ");
}

async function asks(client) {
  const seen = [];
  const result = await ask(client, QUESTION, { onprogress: (progress) => seen.push(progress.progress) });
  const { answer, confidence, sources } = result.structuredContent;
  expect(seen.length > 0, "there was no progress");
  expect(seen.every((value, index) => index === 0 || value > seen[index - 1]), `progress was ${seen}`);
  expect(confidence === "answered" && sources.length > 0, JSON.stringify(result.structuredContent));
  expect(result.content[0].text.includes(answer.slice(0, 20)), "the text is not the answer");
  return `${seen.length} times progress, ${sources.length} sources, "${answer.slice(0, 60)}…"`;
}

async function admitsIgnorance(client) {
  const { confidence, sources } = (await ask(client, ABSENT)).structuredContent;
  expect(confidence === "none" && sources.length === 0, `${confidence}, ${sources.length} sources`);
  return "confidence none, no sources";
}

async function searches(client) {
  const { structuredContent } = await call(client, "search", { query: QUESTION });
  expect(structuredContent.passages.length > 0, JSON.stringify(structuredContent));
  return `${structuredContent.passages.length} passages`;
}

async function cancels(client) {
  const stop = new AbortController();
  const options = { signal: stop.signal, onprogress: () => stop.abort(new Error("enough")) };
  const error = await refusal(() => call(client, "ask", { question: QUESTION }, options));
  expect(/enough|abort/i.test(String(error)), String(error));
  await ask(client, QUESTION); // the connection is none the worse for it
  return firstLine(error);
}

async function refusesWrongArguments(client) {
  const failed = (work) =>
    work().then(
      (result) => (result.isError ? result.content[0].text : ""),
      (error) => firstLine(error),
    );
  const agent = crypto.randomUUID();
  const said = [
    await failed(() => call(client, "ask", { question: QUESTION, agent })),
    await failed(() => call(client, "ask", { question: "x".repeat(1001) })),
    await failed(() => call(client, "no_such_tool")),
  ];
  expect(said.every(Boolean), `not refused: ${JSON.stringify(said)}`);
  return said.map((text) => text.slice(0, 80)).join(" | ");
}

async function refusesStrangers() {
  const errors = [
    await refusal(() => connect(bearer(""))),
    await refusal(() => connect(bearer("made-up"))),
  ];
  expect(errors.every((error) => /401|Unauthorized/.test(`${statusOf(error)} ${error}`)), errors.join());
  return errors.map(firstLine).join(" | ");
}

async function isLimited(client) {
  for (let calls = 1; calls <= MAX_CALLS; calls += 1) {
    try {
      await call(client, "list_agents");
    } catch (error) {
      expect(/429/.test(`${statusOf(error)} ${error}`), error.stack);
      return `after ${calls} calls, ${firstLine(error)}`;
    }
  }
  throw new Error(`${MAX_CALLS} calls were answered`);
}

async function checkBoth(client) {
  await check("lists its tools", () => lists(client));
  await check("asks, with progress", () => asks(client));
  await check("is told when nothing fits", () => admitsIgnorance(client));
  await check("searches", () => searches(client));
  await check("cancels, and goes on", () => cancels(client));
  await check("is refused wrong arguments", () => refusesWrongArguments(client));
  await check("strangers are refused", refusesStrangers);
}

// --- OAuth ----------------------------------------------------------------------------------------

async function isDenied() {
  return firstLine(await refusal(() => new Program("cancel").connect()));
}

async function refreshes(program, client) {
  const before = program.kept;
  program.kept = { ...before, access_token: "expired" };
  await call(client, "list_agents");
  expect(program.kept.access_token !== "expired", "no new token");
  expect(program.kept.refresh_token !== before.refresh_token, "the refresh token did not change");
  return "with a new refresh token";
}

async function isNoTokenOfTheApi(program) {
  const headers = { Authorization: `Bearer ${program.kept.access_token}` };
  const { status } = await fetch(new URL("/agents", ADDRESS), { headers });
  expect(status === 401, `GET /agents answered ${status}`);
  return "GET /agents answers 401";
}

async function losesAllWhenAnOldTokenIsUsedAgain() {
  const program = new Program();
  const client = await program.connect();
  const stolen = program.kept.refresh_token;
  await refreshes(program, client);
  const again = await program.post("/oauth/token", { grant_type: "refresh_token", refresh_token: stolen });
  expect(again.status === 400 && again.body.error === "invalid_grant", JSON.stringify(again));
  const error = await refusal(() => connect(bearer(program.kept.access_token)));
  expect(/401|Unauthorized/.test(`${statusOf(error)} ${error}`), error.stack);
  return "invalid_grant, and the newest token is refused as well";
}

async function revokes(program) {
  const { status } = await program.post("/oauth/revoke", { token: program.kept.refresh_token });
  expect(status === 200, `revoking answered ${status}`);
  const error = await refusal(() => connect(bearer(program.kept.access_token)));
  expect(/401|Unauthorized/.test(`${statusOf(error)} ${error}`), error.stack);
  return firstLine(error);
}

async function checkOAuth() {
  const program = new Program();
  let client;
  await check("connects, registered and let in", async () => {
    client = await program.connect();
    expect(program.asked.searchParams.get("resource") === ADDRESS, String(program.asked));
    expect(program.asked.searchParams.get("code_challenge_method") === "S256", "no PKCE");
    return `${describe(client)}, scope "${program.kept.scope}"`;
  });
  if (!client) return;
  await checkBoth(client);
  await check("refreshes its token", () => refreshes(program, client));
  await check("its token opens nothing else", () => isNoTokenOfTheApi(program));
  await check("is not let in when the person cancels", isDenied);
  await check("a stolen refresh token ends the access", losesAllWhenAnOldTokenIsUsedAgain);
  if (flags.has("--limited")) await check("is limited", () => isLimited(client));
  else await check("is out once it is revoked", () => revokes(program));
  await client.close();
}

async function checkToken() {
  let client;
  await check("connects by token", async () => {
    client = await connect(bearer(TOKEN));
    return describe(client);
  });
  if (!client) return;
  await checkBoth(client);
  if (flags.has("--limited")) await check("is limited", () => isLimited(client));
  await client.close();
}

function describe(client) {
  const version = client.getNegotiatedProtocolVersion?.() ?? client.transport.protocolVersion;
  return `${client.getServerVersion()?.name ?? "no name"}, revision ${version}`;
}

await (TOKEN ? checkToken() : checkOAuth());
console.log(failures ? `${failures} failed` : "all passed");
process.exit(failures ? 1 : 0);
