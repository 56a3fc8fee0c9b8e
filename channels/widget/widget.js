/* The chat of an agent on any website: one file, nothing else is loaded (docs/widget.md).

   <script src="https://…/widget.js" data-agent="AGENT_ID" async></script>

   What visitors, documents and models write becomes text nodes. */
(() => {
// Asked while the script runs: later nobody knows its tag. An <img name="currentScript"> in a page
// would stand for it.
const tags = [document.currentScript, document.querySelector("script[data-agent]")];
const tag = tags.find((one) => one instanceof HTMLScriptElement);
if (window.knowledgeAgentWidget) return;
window.knowledgeAgentWidget = true;

const QUESTION_MAX_CHARS = 1000;
const COUNTER_FROM_CHARS = 850;
const KEPT_MESSAGES = 40; // for the next page of the site
const SESSION_MAX_MS = 20_000;
const SILENCE_MAX_MS = 120_000; // of a server that is answering
const AT_END_PX = 48; // so near is at the end
const FRESH_DAYS = 7; // below: green
const AGING_DAYS = 30; // up to here: yellow
const STORED = `knowledge-agent:${tag?.dataset.agent}`;
const SESSION_FIELDS = ["session", "agent_name", "welcome_msg", "language"];
const DAY_MS = 86_400_000;
const CONTRAST_MIN = 4.6; // WCAG 2.2, 1.4.3: 4.5

const WORDS = {
  es: {
    open: "Abrir el chat",
    close: "Cerrar el chat",
    with: "Chat con",
    kind: "Asistente automático",
    restart: "Nueva conversación",
    log: "Conversación",
    you: "Tú:",
    hello: "¡Hola!",
    me: "Soy",
    help: "¿En qué te puedo ayudar?",
    question: "Tu pregunta",
    send: "Enviar",
    stop: "Parar",
    thinking: "Buscando la respuesta…",
    sources: "Fuentes",
    more: "Otros documentos encontrados: {count}",
    updated: "actualizado",
    today: "hoy",
    updatedOn: "Actualizado el",
    newTab: "se abre en otra pestaña",
    retry: "Reintentar",
    places: {
      page: "página", pages: "páginas", slide: "diapositiva", slides: "diapositivas", row: "fila",
      rows: "filas", paragraph: "párrafo", paragraphs: "párrafos", sheet: "hoja", section: "apartado",
      item: "elemento", line: "línea", "page header": "encabezado de página", "page footer": "pie de página",
      "earlier message": "mensaje anterior", signature: "firma", "legal notice": "aviso legal",
    },
    offline: "No tienes conexión a internet.",
    unreachable: "No he podido conectar. Comprueba tu conexión e inténtalo de nuevo.",
    busy: "Son muchas preguntas seguidas. Prueba otra vez",
    inactive: "El asistente no está activo en este momento. Vuelve a intentarlo más tarde.",
    overloaded: "Ahora mismo no puedo responder. Inténtalo dentro de un rato.",
    broken: "La respuesta se ha cortado.",
    stopped: "Has parado la respuesta.",
  },
  en: {
    open: "Open the chat",
    close: "Close the chat",
    with: "Chat with",
    kind: "Automated assistant",
    restart: "New conversation",
    log: "Conversation",
    you: "You:",
    hello: "Hello!",
    me: "I am",
    help: "How can I help you?",
    question: "Your question",
    send: "Send",
    stop: "Stop",
    thinking: "Looking for the answer…",
    sources: "Sources",
    more: "Other documents found: {count}",
    updated: "updated",
    today: "today",
    updatedOn: "Updated on",
    newTab: "opens in a new tab",
    retry: "Try again",
    places: {},
    offline: "You are not connected to the internet.",
    unreachable: "I could not connect. Check your connection and try again.",
    busy: "That is a lot of questions in a row. Try again",
    inactive: "The assistant is not active at the moment. Please try again later.",
    overloaded: "I cannot answer right now. Please try again in a while.",
    broken: "The answer was cut off.",
    stopped: "You stopped the answer.",
  },
};

// A constructed style sheet: a page's Content-Security-Policy does not concern it.
const SMALL = "(max-width: 520px), (max-height: 420px)";
const LOOKS = `
:host{all:initial !important;position:fixed !important;z-index:2147483000 !important;
  direction:ltr !important}
*,::before,::after{box-sizing:border-box}
[hidden]{display:none !important}
.widget{--surface:#fff;--raised:#f3f4f7;--text:#1b1f27;--faint:#596172;--line:#dfe2e8;
  --field:#858d9c;--green:#17803d;--yellow:#b7791f;--red:#c62828;color-scheme:light;
  font:15px/1.5 system-ui,sans-serif;color:var(--text)}
.dark{--surface:#171a21;--raised:#242933;--text:#eceef3;--faint:#a7afbf;--line:#323946;
  --field:#767f90;--green:#4cc274;--yellow:#e6b450;--red:#ff7b72;color-scheme:dark}
h2,h3,p,ol,form{margin:0;padding:0}
button{font:inherit;color:inherit;background:none;border:0;padding:0;cursor:pointer}
.round{flex:none;display:grid;place-items:center;width:44px;height:44px;
  border-radius:50%}
.close{display:none}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
svg{width:22px;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;
  stroke-linejoin:round}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);
  white-space:nowrap}

.launcher{position:fixed;bottom:calc(20px + env(safe-area-inset-bottom));width:60px;
  height:60px;border:1px solid #fff4;box-shadow:0 2px 6px #0003,0 10px 28px #0004}
.launcher svg{width:28px}
.entering,.panel{animation:rise .2s}
.panel{position:fixed;bottom:calc(94px + env(safe-area-inset-bottom));width:400px;
  height:min(640px, 100vh - 118px);display:flex;flex-direction:column;overflow:hidden;
  background:var(--surface);border:1px solid var(--line);border-radius:20px;
  box-shadow:0 4px 14px #0002,0 24px 64px #0004}
.right>*{right:20px}
.left>*{left:20px}
@keyframes rise{from{opacity:0;transform:translateY(14px)}}

header{display:flex;align-items:center;gap:8px;padding:12px 10px 12px 16px;
  border-bottom:1px solid var(--line)}
.avatar{font-weight:600;font-size:17px}
.names{flex:1;min-width:0;line-height:1.3}
.names *{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.name{font-weight:600;font-size:16px}
.kind,.tool,h3,.place,.counter{color:var(--faint)}
.tool:hover{background:var(--raised);color:var(--text)}

.log{flex:1;overflow-y:auto;overscroll-behavior:contain;padding:18px 16px;display:flex;
  flex-direction:column;gap:12px;scrollbar-width:thin}
.log:focus-visible{outline-offset:-3px}
.message{max-width:88%;align-self:start}
.bubble{padding:10px 14px;border-radius:18px 18px 18px 6px;background:var(--raised);
  white-space:pre-wrap;overflow-wrap:anywhere}
.accent{background:var(--accent);color:var(--on-accent)}
.visitor{align-self:end}
.visitor .bubble{border-radius:18px 18px 6px}
a,.mark,.number,.retry{color:var(--link)}
.mark,.number{font-weight:600}
.mark{font-size:12px}
.dots{display:flex;gap:5px;padding:8px 2px}
.dots i{width:7px;height:7px;border-radius:50%;background:var(--faint);
  animation:blink 1.2s infinite both}
.dots :nth-child(2){animation-delay:.2s}
.dots :nth-child(3){animation-delay:.4s}
@keyframes blink{0%, 70%, 100%{opacity:.3}}

.kind,.sources{font-size:13px;line-height:1.4}
.sources{margin:10px 4px 2px}
h3,.place,.badge,.counter{font-size:12px}
ol{list-style:none}
summary{padding:6px 0;color:var(--faint);font-size:12px;cursor:pointer}
li{display:flex;align-items:baseline;gap:8px;padding:5px 0}
li+li{border-top:1px solid var(--line)}
.source{flex:1;min-width:0;overflow-wrap:anywhere}
.place{display:block}
.badge{padding:1px 8px;white-space:nowrap;border:1px solid var(--line);border-radius:99px}
.badge::before{content:"";display:inline-block;width:8px;height:8px;margin-right:5px;
  border-radius:50%;background:var(--badge);forced-color-adjust:none}
.green{--badge:var(--green)} .yellow{--badge:var(--yellow)} .red{--badge:var(--red)}
.note{display:flex;flex-wrap:wrap;align-items:center;padding:4px 14px;font-size:14px;
  border:1px solid var(--line);border-left:3px solid var(--yellow);border-radius:12px}
.note span{flex:1 1 12em;padding:6px 12px 6px 0}
.retry{min-height:44px;font-weight:600}

form{padding:10px 12px calc(12px + env(safe-area-inset-bottom));
  border-top:1px solid var(--line)}
.field{display:flex;align-items:end;padding:2px;border:1px solid var(--field);
  border-radius:24px}
.field:focus-within{border-color:var(--link);box-shadow:0 0 0 1px var(--link)}
.grow{flex:1;display:grid;max-height:144px;overflow-y:auto}
.grow::after{content:attr(data-text) " ";visibility:hidden}
.grow::after,textarea{grid-area:1 / 1;margin:0;padding:10px 4px 10px 14px;border:0;
  font:16px/24px system-ui,sans-serif;white-space:pre-wrap;overflow-wrap:anywhere}
textarea{min-width:0;resize:none;overflow:hidden;background:none;color:inherit;
  outline:none !important}
::placeholder{color:var(--faint);opacity:1}
[aria-disabled=true]{background:var(--raised);color:var(--faint);cursor:default}
.counter{margin:6px 12px 0;text-align:right}

@media ${SMALL}{
  .panel{inset:0;width:auto;height:100%;border:0;border-radius:0;
    padding:env(safe-area-inset-top) env(safe-area-inset-right) 0 env(safe-area-inset-left)}
  .is-open .launcher{display:none}
  .close{display:grid}
}
@media (prefers-reduced-motion){*{animation:none !important}}
@media (forced-colors:active){button,.bubble,.round{border:1px solid}}
@media print{.widget{display:none}}`;

const ICONS = {
  chat: "M21 12a8 8 0 0 1-8 8H4l1.6-3.2A8 8 0 1 1 21 12zM9 12h.01M13 12h.01M17 12h.01",
  down: "M6 9l6 6 6-6",
  close: "M6 6l12 12M18 6L6 18",
  restart: "M4 5v5h5M4.6 14.5a8 8 0 1 0 1-7.3L4 10",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M8 8h8v8H8z",
};

// --- Settings

// From the tag's attributes; null when there is no agent to talk to.
function readSettings() {
  const options = tag?.dataset ?? {};
  if (!/^[0-9a-f-]{32,36}$/i.test(options.agent)) {
    console.error("Chat widget: the script tag needs data-agent, with the agent's id.");
    return null;
  }
  return {
    ...options,
    server: new URL(tag.src).origin,
    language: chooseLanguage(options.language),
    color: readColor(options.color) ?? [43, 87, 200],
    side: options.position === "left" ? "left" : "right",
  };
}

// The tag's, the page's or the browser's; undefined: the agent's decides.
function chooseLanguage(wanted) {
  const names = [wanted, document.documentElement.lang, ...navigator.languages];
  return names.map((name) => (name ?? "").slice(0, 2).toLowerCase()).find((name) => name in WORDS);
}

// #rgb or #rrggbb as three numbers; null: it is none.
function readColor(text) {
  if (!/^#([0-9a-f]{3}){1,2}$/i.test(text)) return null;
  const digits = text.length === 4 ? text.replace(/\w/g, "$&$&") : text;
  return [1, 3, 5].map((start) => parseInt(digits.slice(start, start + 2), 16));
}

// --- Colours: "relative luminance" and "contrast ratio" of WCAG 2.2

function luminance(color) {
  const [red, green, blue] = color
    .map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(...colors) {
  const [low, high] = colors.map(luminance).sort((one, other) => one - other);
  return (high + 0.05) / (low + 0.05);
}

// `color`, moved towards `ink` until it can be read on `paper`.
function readable(color, paper, ink) {
  if (contrast(color, paper) >= CONTRAST_MIN) return color;
  return readable(color.map((part, at) => part + (ink[at] - part) / 9), paper, ink);
}

// Links stand on bubbles: those are the papers.
function accentLooks(color) {
  const [white, black] = [[255, 255, 255], [0, 0, 0]];
  const onAccent = contrast(white, color) >= contrast(black, color) ? white : black;
  return `.widget { --accent: rgb(${color}); --on-accent: rgb(${onAccent});
    --link: rgb(${readable(color, [243, 244, 247], black)}); }
    .dark { --link: rgb(${readable(color, [36, 41, 51], white)}); }`;
}

// --- What is remembered until the tab is closed

function recall() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(STORED));
    const known = SESSION_FIELDS.map((name) => [name, text(kept?.[name])]);
    return { ...Object.fromEntries(known), isOpen: kept?.isOpen, messages: list(kept?.messages) };
  } catch {
    return { messages: [] }; // forbidden, or not ours
  }
}

function remember() {
  talk.messages = talk.messages.slice(-KEPT_MESSAGES);
  try {
    sessionStorage.setItem(STORED, JSON.stringify(talk));
  } catch {
    // Forbidden, or full.
  }
}

// What comes from outside may be anything.
function list(value) {
  return Array.isArray(value) ? value.filter((one) => one && typeof one === "object") : [];
}

function text(value) {
  return typeof value === "string" ? value : "";
}

// --- The server

class Failure extends Error {
  constructor(kind, waitSeconds = 0) {
    super(kind); // one of WORDS
    Object.assign(this, { kind, waitSeconds });
  }
}

const KINDS = { 401: "expired", 409: "inactive", 429: "busy" };

// Raises Failure.
async function post(what, body, signal) {
  const request = {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "text/event-stream",
      ...(settings.preview && { "X-Widget-Preview": settings.preview }), // on our own pages
    },
    body: JSON.stringify(body),
    credentials: "omit",
    signal,
  };
  const address = `${settings.server}/public/agents/${settings.agent}/${what}`;
  const response = await fetch(address, request).catch((error) => error);
  if (response.ok) return response;
  if (response.name === "AbortError") throw response;
  throw response.status ? refused(response) : unreachable();
}

// Also when our origin is not allowed: a browser hides that answer.
function unreachable() {
  if (!navigator.onLine) return new Failure("offline");
  complain("no answer");
  return new Failure("unreachable");
}

function refused({ status, headers }) {
  const kind = KINDS[status] ?? "overloaded";
  if (kind === "busy") return new Failure(kind, Number(headers.get("Retry-After")) || 60);
  if (status < 500) complain(status);
  return new Failure(kind);
}

// For whoever put the tag on the page.
function complain(about) {
  const { agent, server } = settings;
  console.error(
    `Chat widget: ${about} from ${server}. Is agent ${agent} active and connected to web, is` +
    ` "${location.origin}" in its allowed_origins, and the server in this page's connect-src?`,
  );
}

let starting = null; // the opened chat and a quick question share one session

function startSession() {
  starting ??= requestSession().finally(() => (starting = null));
  return starting;
}

async function requestSession() {
  const response = await post("sessions", {}, AbortSignal.timeout(SESSION_MAX_MS));
  const given = await response.json();
  for (const name of SESSION_FIELDS) talk[name] = text(given[name]);
  remember();
  showWords();
}

// The answer object. `onText` gets the text so far.
async function ask(question, signal, onText) {
  if (!talk.session) await startSession();
  try {
    return await requestAnswer(question, signal, onText);
  } catch (failure) {
    if (failure.kind !== "expired") throw failure;
  }
  await startSession();
  return requestAnswer(question, signal, onText);
}

async function requestAnswer(question, signal, onText) {
  const body = { session: talk.session, query: question };
  const response = await post("query", body, signal);
  let soFar = "";
  for await (const { name, data } of readEvents(response.body)) {
    const content = JSON.parse(data);
    if (name === "done") return content;
    if (name === "error") break;
    if (name === "delta") onText((soFar += text(content.text)));
  }
  throw new Failure("broken");
}

// Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), wherever the
// network cuts them.
async function* readEvents(stream) {
  let [name, data] = ["", []];
  for await (const line of readLines(stream)) {
    const [, field, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line); // a comment's field is ""
    if (field === "event") name = value;
    if (field === "data") data.push(value);
    if (line) continue;
    if (data.length) yield { name, data: data.join("\n") };
    [name, data] = ["", []];
  }
}

async function* readLines(stream) {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    rest += decoder.decode(step.value, { stream: true });
    const lines = rest.split(/\r\n|\n|\r(?!$)/); // "\r" may be half of "\r\n"
    rest = lines.pop();
    yield* lines;
  }
}

// --- Elements

function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children); // a string becomes a text node
  return element;
}

function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const [svg, path] = ["svg", "path"].map((kind) => document.createElementNS(space, kind));
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.ariaHidden = true;
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

function span(looks, ...children) {
  return make("span", { class: looks }, ...children);
}

// A web address that may be followed, or null.
function webAddress(written) {
  if (!URL.canParse(written)) return null;
  const address = new URL(written);
  const isWeb = address.protocol === "https:" || address.protocol === "http:";
  return isWeb && !address.username && !address.password ? address : null;
}

function link({ href }, shown) {
  const rel = "noopener noreferrer nofollow";
  const attributes = { href, rel, target: "_blank", referrerpolicy: "no-referrer" };
  return make("a", attributes, shown, span("unseen", ` (${words().newTab})`));
}

// An answer's text, in which marks like [1] and bare addresses stand out.
function answerParts(written) {
  return written.split(/(https?:\/\/[^\s<>"'()[\]{}]+|\[\d{1,2}\])/i).flatMap((part, at) => {
    if (at % 2 === 0) return part;
    return part.startsWith("[") ? span("mark", part) : linkParts(part);
  });
}

// An address with "?" or "#" could carry a conversation away, and stays text.
function linkParts(part) {
  const [, bare, end] = /^(.*?)([.,;:!?…*_]*)$/.exec(part);
  const address = /[?#]/.test(bare) ? null : webAddress(bare);
  return address ? [link(address, bare), end] : part;
}

// --- Sources

// Those that the text marks; the others, which were only found, are folded away.
function sourceList(sources, written) {
  const isMarked = (item, at) => written.includes(`[${at + 1}]`);
  const items = sources.map(sourceItem);
  const marked = items.filter(isMarked);
  const others = marked.length ? items.filter((item, at) => !isMarked(item, at)) : [];
  const title = make("h3", {}, words().sources);
  const shown = make("ol", {}, ...(marked.length ? marked : items));
  const parts = others.length ? [title, shown, folded(others)] : [title, shown];
  return make("section", { class: "sources", "aria-label": words().sources }, ...parts);
}

function folded(items) {
  const summary = make("summary", {}, words().more.replace("{count}", items.length));
  return make("details", {}, summary, make("ol", {}, ...items));
}

function sourceItem(source, at) {
  const item = make("li", {}, span("number", `${at + 1}`), sourceName(source));
  const date = new Date(text(source.synced_at));
  if (!Number.isNaN(date.getTime())) item.append(freshness(date));
  return item;
}

// A web page by its title and address, a file by its name and the place in it.
function sourceName(source) {
  const [file, place, section] = [source.source_file, source.page_or_row, source.section_title].map(text);
  const address = webAddress(place);
  const name = address ? link(address, section || address.host) : file;
  const where = address ? address.host + address.pathname : placeWords(place) || section;
  return span("source", name, span("place", where));
}

// "page 3" in the visitor's language; names of sheets and sections stay as they are.
function placeWords(place) {
  const known = /^page (header|footer)$|^earlier message(?= \d+$)|^(signature|legal notice)$|^(sheet|section)(?= )|^[a-z]+(?= [\d–-]+$)|(?<=^sheet .+, )rows?(?= [\d–-]+$)/g;
  return place.replace(known, (word) => words().places[word] ?? word);
}

function freshness(date) {
  const midnight = (moment) => Date.UTC(moment.getFullYear(), moment.getMonth(), moment.getDate());
  const days = Math.max(0, (midnight(new Date()) - midnight(date)) / DAY_MS);
  const color = days < FRESH_DAYS ? "green" : days <= AGING_DAYS ? "yellow" : "red";
  const title = `${words().updatedOn} ${date.toLocaleDateString(language(), { dateStyle: "long" })}`;
  const when = days ? ago(-days, "day") : words().today;
  return make("span", { class: `badge ${color}`, title }, span("unseen", `${words().updated} `), when);
}

function ago(count, unit) {
  return new Intl.RelativeTimeFormat(language()).format(count, unit);
}

// --- Messages

function messageElement({ role, text: written, sources }, extra = "") {
  const isOurs = role !== "visitor";
  const author = span("unseen", isOurs ? `${agentName()}:` : words().you);
  const shown = isOurs ? answerParts(text(written)) : [text(written)];
  const bubble = make("div", { class: `bubble${isOurs ? "" : " accent"}` }, ...shown);
  const looks = `message ${isOurs ? "agent" : "visitor"} ${extra}`;
  const element = make("div", { class: looks }, author, bubble);
  if (list(sources).length) element.append(sourceList(list(sources), text(written)));
  return element;
}

// Whoever reads further up stays there.
function atEnd(change) {
  const { log } = parts;
  const wasAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < AT_END_PX;
  change();
  if (wasAtEnd) scrollToEnd();
}

function scrollToEnd() {
  parts.log.scrollTop = parts.log.scrollHeight;
}

function welcome() {
  const { hello, me, help } = words();
  const introduction = talk.agent_name ? ` ${me} ${talk.agent_name}. ` : " ";
  return messageElement({ text: talk.welcome_msg || hello + introduction + help });
}

function showTalk() {
  parts.log.replaceChildren(welcome(), ...talk.messages.map((message) => messageElement(message)));
  if (waiting()) showFailure(new Failure("broken")); // its page was left
  scrollToEnd();
}

// The question that has no answer yet.
function waiting() {
  const last = talk.messages.at(-1);
  return last?.role === "visitor" ? text(last.text) : "";
}

function showFailure({ kind, waitSeconds }) {
  const retry = make("button", { type: "button", class: "retry" }, words().retry);
  const said = (words()[kind] ?? words().broken) + waitWords(waitSeconds);
  const note = make("div", { class: "note" }, make("span", {}, said), retry);
  retry.onclick = () => {
    note.remove();
    parts.input.focus();
    waiting() ? answer(waiting()) : greet();
  };
  atEnd(() => parts.log.append(note));
}

function waitWords(seconds) {
  if (!seconds) return "";
  return ` ${seconds < 90 ? ago(seconds, "second") : ago(Math.ceil(seconds / 60), "minute")}.`;
}

// --- Asking

let running = null; // the question that is being answered: its AbortController, draft and timer

function submit(event) {
  event.preventDefault();
  const question = parts.input.value.trim();
  if (!question || running) return;
  const message = { role: "visitor", text: question };
  talk.messages.push(message);
  remember();
  parts.input.value = "";
  showLength();
  parts.log.querySelectorAll(".note").forEach((note) => note.remove());
  parts.log.append(messageElement(message, "entering"));
  scrollToEnd();
  parts.input.focus();
  answer(question);
}

async function answer(question) {
  const run = { controller: new AbortController(), draft: showDraft(), timer: 0 };
  setRunning(run);
  hear(run);
  try {
    const given = await ask(question, run.controller.signal, (soFar) => hear(run, soFar));
    finish(run, { role: "agent", text: text(given.answer), sources: list(given.sources) });
  } catch (error) {
    finish(run, error);
  }
}

// A server that says nothing for too long is given up.
function hear(run, soFar = "") {
  if (run !== running) return;
  clearTimeout(run.timer);
  run.timer = setTimeout(giveUp, SILENCE_MAX_MS, "broken");
  if (soFar) atEnd(() => run.draft.lastChild.replaceChildren(soFar));
}

// A whole message is an element of its own: so it is read out once, and whole.
function finish(run, outcome) {
  clearTimeout(run.timer);
  if (run !== running) return; // given up before
  setRunning(null);
  if (outcome instanceof Error) {
    run.draft.remove();
    return showFailure(outcome);
  }
  talk.messages.push(outcome);
  remember();
  atEnd(() => run.draft.replaceWith(messageElement(outcome)));
}

function giveUp(kind) {
  const run = running;
  if (!run) return;
  finish(run, new Failure(kind));
  run.controller.abort();
}

// What is said so far. Screen readers get the whole.
function showDraft() {
  const draft = messageElement({}, "entering");
  draft.ariaHidden = true;
  draft.lastChild.append(make("div", { class: "dots" }, make("i"), make("i"), make("i")));
  atEnd(() => parts.log.append(draft));
  return draft;
}

function setRunning(run) {
  running = run;
  parts.log.ariaBusy = Boolean(run);
  parts.status.textContent = run ? words().thinking : "";
  parts.stop.hidden = !run;
  parts.send.hidden = Boolean(run);
}

function restart() {
  giveUp("stopped");
  Object.assign(talk, { session: "", messages: [] });
  remember();
  showTalk();
  parts.input.focus();
}

// --- Opening and closing

const isSmall = matchMedia(SMALL);

function toggle() {
  setOpen(!talk.isOpen);
  (talk.isOpen ? parts.input : parts.launcher).focus();
}

function setOpen(isOpen) {
  talk.isOpen = isOpen;
  remember();
  parts.panel.hidden = !isOpen;
  parts.widget.classList.toggle("is-open", isOpen);
  parts.launcher.ariaExpanded = isOpen;
  parts.launcher.replaceChildren(icon(isOpen ? "down" : "chat"));
  showWords();
  fitKeyboard();
  if (isOpen && !talk.session && !talk.messages.length) greet();
  scrollToEnd();
}

async function greet() {
  const draft = showDraft();
  parts.log.replaceChildren(draft);
  const failure = await startSession().catch((error) => error);
  draft.replaceWith(welcome());
  if (failure && !talk.messages.length) showFailure(failure); // a quick question tells of its own
}

// On a phone the panel ends where the keyboard begins, and holds the focus.
function fitKeyboard() {
  const { height, offsetTop } = window.visualViewport;
  const fills = isSmall.matches && talk.isOpen;
  const looks = `.panel { height: ${height}px; top: ${offsetTop}px; bottom: auto; }`;
  keyboardLooks.replaceSync(fills ? looks : "");
  parts.panel.ariaModal = fills;
}

function onKey(event) {
  event.stopPropagation(); // a page's shortcuts are not for what is typed here
  if (event.type !== "keydown" || event.isComposing) return;
  if (event.key === "Escape" && talk.isOpen) toggle();
  if (event.key === "Tab" && isSmall.matches && talk.isOpen) keepFocus(event);
  if (event.key === "Enter" && !event.shiftKey && event.target === parts.input) submit(event);
}

// From the last element to the first, and back: behind the panel nothing can be seen.
function keepFocus(event) {
  const ends = [running ? parts.stop : parts.send, parts.restart];
  const [from, to] = event.shiftKey ? ends.reverse() : ends;
  if (event.target !== from) return;
  event.preventDefault();
  to.focus();
}

// --- The frame

function language() {
  return settings.language ?? (talk.language in WORDS ? talk.language : "es");
}

function words() {
  return WORDS[language()];
}

function agentName() {
  return talk.agent_name || "Chat";
}

function showWords() {
  const { widget, panel, log, input, name, kind, avatar, launcher } = parts;
  widget.lang = language();
  panel.ariaLabel = talk.agent_name ? `${words().with} ${talk.agent_name}` : "Chat";
  log.ariaLabel = words().log;
  input.ariaLabel = words().question;
  input.placeholder = `${words().question}…`;
  name.textContent = agentName();
  kind.textContent = words().kind;
  avatar.textContent = [...agentName()][0].toUpperCase();
  for (const part of ["restart", "close", "send", "stop"]) {
    parts[part].ariaLabel = parts[part].title = words()[part];
  }
  launcher.ariaLabel = talk.isOpen ? words().close : words().open;
}

function showLength() {
  const { value } = parts.input;
  parts.grow.dataset.text = value;
  parts.send.ariaDisabled = !value.trim();
  const used = value.length < COUNTER_FROM_CHARS ? "" : `${value.length} / ${QUESTION_MAX_CHARS}`;
  parts.counter.textContent = used;
}

function showTheme() {
  const isDark = settings.theme === "dark" || (prefersDark.matches && settings.theme !== "light");
  parts.widget.classList.toggle("dark", isDark);
}

function makeParts() {
  const box = (looks, more) => make("div", { class: looks, ...more });
  const button = (looks, ...icons) => make("button", { type: "button", class: `round ${looks}` }, ...icons);
  return {
    widget: box(`widget ${settings.side}`),
    launcher: button("launcher accent"),
    panel: box("panel", { role: "dialog" }),
    avatar: box("avatar round accent", { "aria-hidden": "true" }),
    name: make("h2", { class: "name" }),
    kind: make("p", { class: "kind" }),
    restart: button("tool", icon("restart")),
    close: button("tool close", icon("close")),
    log: box("log", { role: "log", "aria-live": "polite", tabindex: 0 }),
    status: box("unseen", { role: "status" }),
    grow: box("grow"),
    input: make("textarea", { rows: 1, maxlength: QUESTION_MAX_CHARS, enterkeyhint: "send" }),
    send: make("button", { type: "submit", class: "round accent" }, icon("send")),
    stop: button("accent", icon("stop")),
    counter: make("p", { class: "counter" }),
  };
}

function assemble() {
  const { widget, panel, launcher, grow, input, send, stop } = parts;
  const names = make("div", { class: "names" }, parts.name, parts.kind);
  const header = make("header", { role: "presentation" }, parts.avatar, names, parts.restart, parts.close);
  const form = make("form", {}, make("div", { class: "field" }, grow, send, stop), parts.counter);
  grow.append(input);
  panel.append(header, parts.log, parts.status, form);
  widget.append(launcher, panel);
  form.onsubmit = submit;
  stop.onclick = () => {
    giveUp("stopped");
    input.focus();
  };
  input.oninput = () => atEnd(showLength);
  launcher.onclick = toggle;
  parts.close.onclick = toggle;
  parts.restart.onclick = restart;
  for (const type of ["keydown", "keyup", "keypress"]) widget.addEventListener(type, onKey);
}

function start() {
  const looks = new CSSStyleSheet();
  looks.replaceSync(LOOKS + accentLooks(settings.color));
  const root = host.attachShadow({ mode: "open" });
  root.adoptedStyleSheets = [looks, keyboardLooks];
  assemble();
  root.append(parts.widget);
  comeBack();
  showTheme();
  showLength();
  setRunning(null);
  showTalk();
  setOpen(Boolean(talk.isOpen));
  prefersDark.addEventListener("change", showTheme);
  isSmall.addEventListener("change", fitKeyboard);
  for (const type of ["resize", "scroll"]) window.visualViewport.addEventListener(type, fitKeyboard);
}

// Turbo and apps replace the body: the chat comes back; removed alone it does not.
const bodyChanges = new MutationObserver((changes) => {
  if (host.isConnected || !document.body) return;
  changes.some(removesHostAlone) ? bodyChanges.disconnect() : comeBack();
});

function removesHostAlone({ target, addedNodes, removedNodes }) {
  return target === document.body && !addedNodes.length && removedNodes.length === 1 && removedNodes[0] === host;
}

function comeBack() {
  document.querySelectorAll(host.localName).forEach((copy) => copy.remove()); // Turbo's
  document.body.append(host);
  bodyChanges.observe(document.documentElement, { childList: true });
  bodyChanges.observe(document.body, { childList: true });
  scrollToEnd();
}

const settings = readSettings();
if (!settings) return;
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const keyboardLooks = new CSSStyleSheet();
const talk = recall();
const host = make("knowledge-agent-chat");
const parts = makeParts();
if (document.body) start();
else document.addEventListener("DOMContentLoaded", start);
})();
