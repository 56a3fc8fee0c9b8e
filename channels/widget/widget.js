/* The chat of an agent, on any website: one file, and nothing else is ever loaded (docs/widget.md).

   <script src="https://…/widget.js" data-agent="AGENT_ID" async></script>

   What visitors, documents and models write becomes text nodes, and nothing else. */
(() => {
  "use strict";

  // Read while the script itself runs: later nobody knows which tag it was.
  const tag = document.currentScript ?? document.querySelector('script[data-agent][src*="/widget.js"]');
  const LOADED = Symbol.for("knowledge-agent-widget");
  if (window[LOADED]) return;
  window[LOADED] = true;

  const QUESTION_MAX_CHARS = 1000;
  const COUNTER_FROM_CHARS = 850;
  const KEPT_MESSAGES = 40; // of those shown, for the next page of the site
  const SESSION_MAX_MS = 20_000;
  const SILENCE_MAX_MS = 120_000; // of a server that is answering
  const AT_END_PX = 48; // so near the end is at the end
  const FRESH_DAYS = 7; // below: green
  const AGING_DAYS = 30; // up to here: yellow; over it: red
  const CONTRAST_MIN = 4.5; // WCAG 2.2, 1.4.3

  const WORDS = {
    es: {
      open: "Abrir el chat",
      close: "Cerrar el chat",
      dialog: (name) => (name ? `Chat con ${name}` : "Chat"),
      title: "Chat",
      kind: "Asistente automático",
      restart: "Nueva conversación",
      log: "Conversación",
      you: "Tú:",
      welcome: (name) => `¡Hola!${name ? ` Soy ${name}.` : ""} ¿En qué te puedo ayudar?`,
      placeholder: "Escribe tu pregunta…",
      question: "Tu pregunta",
      send: "Enviar",
      stop: "Parar",
      counter: (used) => `${used} de ${QUESTION_MAX_CHARS}`,
      thinking: "Buscando la respuesta…",
      sources: "Fuentes",
      updated: "actualizado",
      today: "hoy",
      updatedOn: (date) => `Actualizado el ${date}`,
      newTab: "se abre en otra pestaña",
      retry: "Reintentar",
      places: { page: "página", pages: "páginas", slide: "diapositiva", slides: "diapositivas", row: "fila", rows: "filas", sheet: "hoja", section: "apartado" },
      offline: "No tienes conexión a internet.",
      unreachable: "No he podido conectar. Comprueba tu conexión e inténtalo de nuevo.",
      busy: (wait) => `Son muchas preguntas seguidas. Prueba otra vez ${wait}.`,
      soon: "dentro de un momento",
      unavailable: "El chat no está disponible en este momento.",
      inactive: "El asistente no está activo en este momento. Vuelve a intentarlo más tarde.",
      overloaded: "Ahora mismo no puedo responder. Inténtalo dentro de un rato.",
      broken: "La respuesta se ha cortado.",
      stopped: "Has parado la respuesta.",
    },
    en: {
      open: "Open the chat",
      close: "Close the chat",
      dialog: (name) => (name ? `Chat with ${name}` : "Chat"),
      title: "Chat",
      kind: "Automated assistant",
      restart: "New conversation",
      log: "Conversation",
      you: "You:",
      welcome: (name) => `Hello!${name ? ` I am ${name}.` : ""} How can I help you?`,
      placeholder: "Write your question…",
      question: "Your question",
      send: "Send",
      stop: "Stop",
      counter: (used) => `${used} of ${QUESTION_MAX_CHARS}`,
      thinking: "Looking for the answer…",
      sources: "Sources",
      updated: "updated",
      today: "today",
      updatedOn: (date) => `Updated on ${date}`,
      newTab: "opens in a new tab",
      retry: "Try again",
      places: {},
      offline: "You are not connected to the internet.",
      unreachable: "I could not connect. Check your connection and try again.",
      busy: (wait) => `That is a lot of questions in a row. Try again ${wait}.`,
      soon: "in a moment",
      unavailable: "The chat is not available at the moment.",
      inactive: "The assistant is not active at the moment. Please try again later.",
      overloaded: "I cannot answer right now. Please try again in a while.",
      broken: "The answer was cut off.",
      stopped: "You stopped the answer.",
    },
  };

  // A constructed style sheet: a page's Content-Security-Policy does not concern it.
  const LOOKS = `
:host { all: initial !important; display: block !important; position: fixed !important;
  inset: auto 0 0 auto !important; z-index: 2147483000 !important; direction: ltr !important; }
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
.widget { --surface: #fff; --raised: #f3f4f7; --text: #1b1f27; --faint: #596172; --line: #dfe2e8;
  --field: #858d9c; --green: #17803d; --yellow: #b7791f; --red: #c62828;
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; color: var(--text);
  color-scheme: light; -webkit-text-size-adjust: 100%; }
.widget.dark { --surface: #171a21; --raised: #242933; --text: #eceef3; --faint: #a7afbf;
  --line: #323946; --field: #767f90; --green: #4cc274; --yellow: #e6b450; --red: #ff7b72;
  color-scheme: dark; }
button { font: inherit; color: inherit; background: none; border: 0; margin: 0; padding: 0;
  cursor: pointer; touch-action: manipulation; -webkit-tap-highlight-color: transparent; }
:focus { outline: none; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
svg { display: block; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round;
  stroke-linejoin: round; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap; }

.launcher { position: fixed; bottom: calc(20px + env(safe-area-inset-bottom)); width: 60px;
  height: 60px; border-radius: 50%; display: grid; place-items: center; background: var(--accent);
  color: var(--on-accent); border: 1px solid #ffffff40;
  box-shadow: 0 2px 6px #0003, 0 10px 28px #0000003d; transition: transform .18s ease; }
.launcher:hover { transform: translateY(-2px) scale(1.03); }
.launcher:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px;
  box-shadow: 0 0 0 3px #fff; }
.right .launcher { right: calc(20px + env(safe-area-inset-right)); }
.left .launcher { left: calc(20px + env(safe-area-inset-left)); }

.panel { position: fixed; bottom: calc(94px + env(safe-area-inset-bottom)); width: 400px;
  height: min(640px, calc(100vh - 118px)); display: flex; flex-direction: column; overflow: hidden;
  background: var(--surface); border: 1px solid var(--line); border-radius: 20px;
  box-shadow: 0 4px 14px #0000001f, 0 24px 64px #00000038; animation: rise .22s ease; }
.right .panel { right: 20px; }
.left .panel { left: 20px; }
@keyframes rise { from { opacity: 0; transform: translateY(14px); } }

header { display: flex; align-items: center; gap: 10px; padding: 12px 10px 12px 16px;
  border-bottom: 1px solid var(--line); }
.avatar { flex: none; width: 40px; height: 40px; border-radius: 50%; display: grid;
  place-items: center; background: var(--accent); color: var(--on-accent); font-weight: 600;
  font-size: 17px; }
.names { flex: 1; min-width: 0; line-height: 1.3; }
.name, .kind { margin: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.name { font-weight: 650; font-size: 16px; }
.kind { font-size: 13px; color: var(--faint); }
.tool { flex: none; width: 44px; height: 44px; border-radius: 12px; display: grid;
  place-items: center; color: var(--faint); }
.tool:hover { background: var(--raised); color: var(--text); }

.log { flex: 1; min-height: 0; overflow-y: auto; overscroll-behavior: contain; padding: 18px 16px;
  display: flex; flex-direction: column; gap: 12px; scrollbar-width: thin;
  scrollbar-color: var(--line) transparent; }
.log:focus-visible { outline-offset: -3px; }
.message { max-width: 88%; align-self: flex-start; }
.message.visitor { align-self: flex-end; max-width: 82%; }
.entering { animation: rise .2s ease; }
.bubble { padding: 10px 14px; border-radius: 18px 18px 18px 6px; background: var(--raised);
  white-space: pre-wrap; overflow-wrap: anywhere; }
.visitor .bubble { border-radius: 18px 18px 6px 18px; background: var(--accent);
  color: var(--on-accent); }
a { color: var(--link); text-underline-offset: 2px; }
.mark { font-size: .78em; font-weight: 600; color: var(--link); }
.dots { display: flex; gap: 5px; padding: 8px 2px; }
.dots i { width: 7px; height: 7px; border-radius: 50%; background: var(--faint);
  animation: blink 1.2s infinite both; }
.dots i:nth-child(2) { animation-delay: .18s; }
.dots i:nth-child(3) { animation-delay: .36s; }
@keyframes blink { 0%, 70%, 100% { opacity: .3; } 35% { opacity: 1; } }

.sources { margin: 10px 0 2px 4px; font-size: 13px; line-height: 1.4; }
.sources h3 { margin: 0 0 4px; font-size: 12px; font-weight: 600; color: var(--faint); }
.sources ol { list-style: none; margin: 0; padding: 0; }
.sources li { display: flex; align-items: baseline; gap: 8px; padding: 4px 0; }
.sources li + li { border-top: 1px solid var(--line); }
.number { flex: none; min-width: 14px; font-weight: 600; color: var(--link); }
.source { flex: 1; min-width: 0; overflow-wrap: anywhere; }
.place { display: block; font-size: 12px; color: var(--faint); }
.badge { flex: none; display: inline-flex; align-items: center; gap: 5px; padding: 1px 8px;
  border: 1px solid var(--line); border-radius: 99px; font-size: 12px; white-space: nowrap; }
.badge::before { content: ""; width: 8px; height: 8px; border-radius: 50%;
  background: var(--badge); forced-color-adjust: none; }
.green { --badge: var(--green); } .yellow { --badge: var(--yellow); } .red { --badge: var(--red); }

.note { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; padding: 4px 14px;
  border: 1px solid var(--line); border-left: 3px solid var(--yellow); border-radius: 12px;
  font-size: 14px; }
.note span { flex: 1 1 12em; padding: 6px 0; }
.retry { min-height: 44px; padding: 0 4px; font-weight: 600; color: var(--link); }
.retry:hover { text-decoration: underline; }

form { margin: 0; padding: 10px 12px calc(12px + env(safe-area-inset-bottom));
  border-top: 1px solid var(--line); }
.field { display: flex; align-items: flex-end; gap: 4px; padding: 2px 2px 2px 4px;
  border: 1px solid var(--field); border-radius: 24px; background: var(--surface); }
.field:focus-within { border-color: var(--link); box-shadow: 0 0 0 1px var(--link); }
/* The copy of the text behind the field makes it as high as the text is. */
.grow { flex: 1; min-width: 0; display: grid; max-height: 144px; overflow-y: auto; }
.grow::after { content: attr(data-text) " "; visibility: hidden; }
.grow::after, textarea { grid-area: 1 / 1; margin: 0; padding: 10px 4px 10px 12px; border: 0;
  font: inherit; font-size: 16px; line-height: 24px; letter-spacing: normal; white-space: pre-wrap;
  overflow-wrap: anywhere; }
textarea { width: 100%; resize: none; overflow: hidden; background: none; color: inherit;
  border-radius: 20px; appearance: none; }
textarea:focus-visible { outline: none; }
textarea::placeholder { color: var(--faint); opacity: 1; }
.send { flex: none; width: 44px; height: 44px; border-radius: 50%; display: grid;
  place-items: center; background: var(--accent); color: var(--on-accent); }
.send[aria-disabled="true"] { background: var(--raised); color: var(--faint); cursor: default; }
.counter { margin: 6px 12px 0; font-size: 12px; text-align: right; color: var(--faint); }

@media (max-width: 520px), (max-height: 420px) {
  .panel { inset: 0 !important; width: auto; height: 100%; border: 0; border-radius: 0;
    padding: env(safe-area-inset-top) env(safe-area-inset-right) 0 env(safe-area-inset-left); }
  .is-open .launcher { display: none; }
}
@media (min-width: 521px) and (min-height: 421px) { .close { display: none; } }
@media (prefers-reduced-motion: reduce) {
  *, *::before { animation: none !important; transition: none !important; }
}
@media (forced-colors: active) {
  .launcher, .panel, .bubble, .send, .avatar, .tool, .retry { border: 1px solid; }
  .field:focus-within { outline: 2px solid Highlight; }
}
@media print { :host { display: none !important; } }`;

  const ICONS = {
    chat: "M21 12a8 8 0 0 1-8 8H4l1.6-3.2A8 8 0 1 1 21 12zM9 12h.01M13 12h.01M17 12h.01",
    down: "M6 9l6 6 6-6",
    close: "M6 6l12 12M18 6L6 18",
    restart: "M4 5v5h5M4.6 14.5a8 8 0 1 0 1-7.3L4 10",
    send: "M12 19V5M6 11l6-6 6 6",
    stop: "M8 8h8v8H8z",
  };

  // --- Settings -----------------------------------------------------------------------------------

  /** From the tag's attributes; null when there is no agent to talk to. */
  function readSettings() {
    const options = tag?.dataset ?? {};
    if (!/^[0-9a-f-]{32,36}$/i.test(options.agent ?? "")) {
      complain("the script tag needs data-agent with the agent's id");
      return null;
    }
    return {
      agent: options.agent,
      server: new URL(tag.src).origin,
      language: chooseLanguage(options.language),
      theme: ["light", "dark"].find((name) => name === options.theme),
      color: readColor(options.color) ?? [43, 87, 200],
      side: options.position === "left" ? "left" : "right",
    };
  }

  /** The tag's, the page's or the browser's; undefined: the agent's decides. */
  function chooseLanguage(wanted) {
    const names = [wanted, document.documentElement.lang, ...(navigator.languages ?? [])];
    return names.map((name) => (name ?? "").slice(0, 2).toLowerCase()).find((name) => name in WORDS);
  }

  /** #rgb or #rrggbb as three numbers; null: it is none. */
  function readColor(text) {
    if (!/^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(text ?? "")) return null;
    const digits = text.length === 4 ? text.slice(1).replace(/./g, "$&$&") : text.slice(1);
    return [0, 2, 4].map((start) => parseInt(digits.slice(start, start + 2), 16));
  }

  /** For whoever put the tag on the page; visitors see none of it. */
  function complain(text) {
    console.error(`Chat widget: ${text}.`);
  }

  // --- Colours (WCAG 2.2, "relative luminance" and "contrast ratio") --------------------------------

  function luminance(color) {
    const [red, green, blue] = color
      .map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }

  function contrast(one, other) {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  }

  /** `color`, moved towards `ink` as far as it takes to be read on `paper`. */
  function readable(color, paper, ink) {
    for (let share = 0; share < 1; share += 0.1) {
      const mixed = color.map((part, at) => Math.round(part + (ink[at] - part) * share));
      if (contrast(mixed, paper) >= CONTRAST_MIN) return mixed;
    }
    return ink;
  }

  function accentLooks(color) {
    const white = [255, 255, 255];
    const black = [18, 20, 26];
    const onAccent = contrast(white, color) >= contrast(black, color) ? white : black;
    const rule = (selector, name, value) => `${selector} { --${name}: rgb(${value}); }`;
    return [
      rule(".widget", "accent", color),
      rule(".widget", "on-accent", onAccent),
      // Read on bubbles as well, which are nearer to it than the panel is.
      rule(".widget", "link", readable(color, [243, 244, 247], black)),
      rule(".widget.dark", "link", readable(color, [36, 41, 51], white)),
    ].join("\n");
  }

  // --- What is remembered, until the tab is closed --------------------------------------------------

  function storageKey() {
    return `knowledge-agent:${settings.agent}`;
  }

  function recall() {
    const blank = { session: "", name: "", welcome: "", language: "", isOpen: false, messages: [] };
    try {
      const kept = JSON.parse(sessionStorage.getItem(storageKey())) ?? {};
      return { ...blank, ...kept, messages: Array.isArray(kept.messages) ? kept.messages : [] };
    } catch {
      return blank; // forbidden, or not ours
    }
  }

  function remember() {
    talk.messages = talk.messages.slice(-KEPT_MESSAGES);
    try {
      sessionStorage.setItem(storageKey(), JSON.stringify(talk));
    } catch {
      // Forbidden or full: the conversation ends with the page.
    }
  }

  // --- The server -----------------------------------------------------------------------------------

  /** `kind`: one of the words of failures. */
  class Failure extends Error {
    constructor(kind, { status = 0, waitSeconds = 0 } = {}) {
      super(kind);
      Object.assign(this, { kind, status, waitSeconds });
    }
  }

  const KINDS = { 403: "unavailable", 404: "unavailable", 409: "inactive", 429: "busy" };

  /** Raises Failure. */
  async function post(what, body, signal, accept = "application/json") {
    const address = `${settings.server}/public/agents/${settings.agent}/${what}`;
    const response = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: accept },
      body: JSON.stringify(body),
      credentials: "omit",
      signal,
    }).catch(() => {
      throw unreachable(signal);
    });
    if (!response.ok) throw refused(response);
    return response;
  }

  function unreachable(signal) {
    if (signal.aborted && signal.reason instanceof Failure) return signal.reason;
    if (navigator.onLine === false) return new Failure("offline");
    complain(
      `no answer from ${settings.server}. Is "${location.origin}" one of the agent's allowed_origins,` +
        " and does this page's Content-Security-Policy name the server in connect-src?",
    );
    return new Failure("unreachable");
  }

  function refused(response) {
    const { status } = response;
    if (status === 403) complain(`add "${location.origin}" to the agent's allowed_origins`);
    if (status === 404) complain(`agent ${settings.agent} does not exist, or is not connected to web`);
    if (status === 409) complain(`agent ${settings.agent} is inactive`);
    const waitSeconds = Number(response.headers.get("Retry-After")) || 0;
    return new Failure(KINDS[status] ?? "overloaded", { status, waitSeconds });
  }

  let starting = null; // the opened chat and a quick question share one session

  function startSession() {
    starting ??= requestSession().finally(() => (starting = null));
    return starting;
  }

  async function requestSession() {
    const response = await post("sessions", {}, AbortSignal.timeout(SESSION_MAX_MS));
    const given = await response.json().catch(() => ({}));
    talk.session = text(given.session);
    talk.name = text(given.agent_name);
    talk.welcome = text(given.welcome_msg);
    talk.language = text(given.language);
    remember();
    showWords();
  }

  /** The answer object. `onText` gets the text so far. Raises Failure, or whatever broke. */
  async function ask(question, signal, onText) {
    if (!talk.session) await startSession();
    try {
      return await requestAnswer(question, signal, onText);
    } catch (failure) {
      if (failure.status !== 401) throw failure;
    }
    await startSession(); // the old one has expired
    return requestAnswer(question, signal, onText);
  }

  async function requestAnswer(question, signal, onText) {
    if (signal.aborted) throw signal.reason;
    const body = { session: talk.session, query: question };
    const response = await post("query", body, signal, "text/event-stream");
    if (!response.headers.get("Content-Type")?.startsWith("text/event-stream")) return response.json();
    let soFar = "";
    for await (const { name, data } of readEvents(response.body)) {
      const content = JSON.parse(data);
      if (name === "done") return content;
      if (name === "error") throw streamFailure(content);
      if (name === "delta") onText((soFar += text(content.text)));
    }
    throw new Failure("broken");
  }

  function streamFailure({ error }) {
    const kind = error?.code === "TOO_MANY_REQUESTS" ? "busy" : "broken";
    return new Failure(error?.code === "SERVICE_UNAVAILABLE" ? "overloaded" : kind);
  }

  /** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), wherever
      the network cuts them. An event that is not complete is none. */
  async function* readEvents(stream) {
    let name = "";
    let data = [];
    for await (const line of readLines(stream)) {
      if (line === "") {
        if (data.length) yield { name: name || "message", data: data.join("\n") };
        name = "";
        data = [];
        continue;
      }
      const [, field, value] = /^([^:]*)(?:: ?(.*))?$/s.exec(line); // a comment has no name
      if (field === "event") name = value ?? "";
      if (field === "data") data.push(value ?? "");
    }
  }

  async function* readLines(stream) {
    const reader = stream.getReader();
    const decoder = new TextDecoder();
    let rest = "";
    try {
      for (let step = await reader.read(); !step.done; step = await reader.read()) {
        rest += decoder.decode(step.value, { stream: true });
        const lines = rest.split(/\r\n|\n|\r(?!$)/); // a \r at the end may be half of a \r\n
        rest = lines.pop();
        yield* lines;
      }
    } finally {
      reader.cancel().catch(() => {});
    }
  }

  // --- Elements -------------------------------------------------------------------------------------

  function text(value) {
    return typeof value === "string" ? value : "";
  }

  function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    for (const child of children) {
      element.append(child instanceof Node ? child : document.createTextNode(child));
    }
    return element;
  }

  function icon(name, size = 22) {
    const space = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(space, "svg");
    const attributes = { viewBox: "0 0 24 24", width: size, height: size, "aria-hidden": "true" };
    for (const [key, value] of Object.entries(attributes)) svg.setAttribute(key, value);
    svg.append(document.createElementNS(space, "path"));
    svg.firstChild.setAttribute("d", ICONS[name]);
    return svg;
  }

  /** A web address that may be followed, or null. */
  function webAddress(written) {
    try {
      const address = new URL(written);
      const isWeb = address.protocol === "https:" || address.protocol === "http:";
      return isWeb && !address.username && !address.password ? address : null;
    } catch {
      return null;
    }
  }

  function link(address, ...children) {
    return make(
      "a",
      { href: address.href, target: "_blank", rel: "noopener noreferrer nofollow", referrerpolicy: "no-referrer" },
      ...children,
      make("span", { class: "unseen" }, ` (${words().newTab})`),
    );
  }

  /** Nodes of an answer: its text, where marks like [1] and bare addresses stand out. */
  function answerNodes(written) {
    return written.split(/(https?:\/\/[^\s<>"'()[\]{}]+|\[\d{1,2}\])/i).flatMap((part, at) => {
      if (at % 2 === 0) return document.createTextNode(part);
      return part.startsWith("[") ? make("span", { class: "mark" }, part) : linkNodes(part);
    });
  }

  /** One with "?" or "#" could carry a conversation away, and stays text. */
  function linkNodes(part) {
    const [, bare, end] = /^(.*?)([.,;:!?…*_]*)$/s.exec(part);
    const address = /[?#]/.test(bare) ? null : webAddress(bare);
    return address ? [link(address, bare), document.createTextNode(end)] : [document.createTextNode(part)];
  }

  // --- Sources --------------------------------------------------------------------------------------

  function sourceList(sources) {
    const title = make("h3", {}, words().sources);
    const items = sources.map((source, at) => sourceItem(source ?? {}, at + 1));
    return make("section", { class: "sources", "aria-label": words().sources }, title, make("ol", {}, ...items));
  }

  function sourceItem(source, number) {
    const item = make("li", {}, make("span", { class: "number" }, String(number)), sourceName(source));
    const days = daysSince(source.synced_at);
    if (days !== null) item.append(freshness(days, source.synced_at));
    return item;
  }

  /** A web page by its title and address, a file by its name and the place in it. */
  function sourceName(source) {
    const [file, place, section] = [source.source_file, source.page_or_row, source.section_title].map(text);
    const address = webAddress(place);
    const name = address ? link(address, section || address.host) : document.createTextNode(file);
    const where = address ? address.host + address.pathname : placeWords(place) || section;
    return make("span", { class: "source" }, name, ...(where ? [make("span", { class: "place" }, where)] : []));
  }

  /** "page 3" in the visitor's language; names of sheets and sections stay as they are. */
  function placeWords(place) {
    const translated = (word) => words().places[word] ?? word;
    const row = /^(sheet )(.+)(, )(rows?)( [\d–-]+)$/.exec(place);
    if (row) return `${translated("sheet")} ${row[2]}, ${translated(row[4])}${row[5]}`;
    return place.replace(/^(pages?|slides?|rows?)(?= \d)|^(sheet|section)(?= )/, translated);
  }

  /** Nights between then and now, here; null: it is no time. */
  function daysSince(moment) {
    const then = new Date(text(moment));
    if (Number.isNaN(then.getTime())) return null;
    const midnight = (date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
    return Math.max(0, Math.round((midnight(new Date()) - midnight(then)) / 86_400_000));
  }

  function freshness(days, moment) {
    const color = days < FRESH_DAYS ? "green" : days <= AGING_DAYS ? "yellow" : "red";
    const ago = new Intl.RelativeTimeFormat(language()).format(-days, "day");
    const date = new Date(moment).toLocaleDateString(language(), { dateStyle: "long" });
    return make(
      "span",
      { class: `badge ${color}`, title: words().updatedOn(date) },
      make("span", { class: "unseen" }, `${words().updated} `),
      days === 0 ? words().today : ago,
    );
  }

  // --- Messages -------------------------------------------------------------------------------------

  function messageElement({ role, text: written, sources = [] }, extra = "") {
    const isVisitor = role === "visitor";
    const author = isVisitor ? words().you : `${agentName()}:`;
    const nodes = isVisitor ? [document.createTextNode(text(written))] : answerNodes(text(written));
    const element = make(
      "div",
      { class: `message ${isVisitor ? "visitor" : "agent"} ${extra}` },
      make("span", { class: "unseen" }, author),
      make("div", { class: "bubble" }, ...nodes),
    );
    if (Array.isArray(sources) && sources.length) element.append(sourceList(sources));
    return element;
  }

  /** Whoever reads further up is left there. */
  function atEnd(change) {
    const { log } = parts;
    const wasAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < AT_END_PX;
    change();
    if (wasAtEnd) scrollToEnd();
  }

  function scrollToEnd() {
    parts.log.scrollTop = parts.log.scrollHeight;
  }

  function showTalk() {
    const welcome = talk.welcome || words().welcome(talk.name);
    const messages = talk.messages.filter((message) => message && typeof message === "object");
    parts.log.replaceChildren(...[{ role: "agent", text: welcome }, ...messages].map((one) => messageElement(one)));
    if (messages.at(-1)?.role === "visitor") showFailure(new Failure("broken"));
    scrollToEnd();
  }

  function showFailure(failure) {
    const retry = make("button", { type: "button", class: "retry" }, words().retry);
    const note = make("div", { class: "note" }, make("span", {}, failureWords(failure)), retry);
    retry.addEventListener("click", () => {
      note.remove();
      parts.input.focus();
      const last = talk.messages.at(-1);
      last?.role === "visitor" ? answer(last.text) : greet();
    });
    atEnd(() => parts.log.append(note));
  }

  function failureWords({ kind, waitSeconds }) {
    const said = words()[kind] ?? words().broken;
    return typeof said === "function" ? said(waitWords(waitSeconds)) : said;
  }

  function waitWords(seconds) {
    if (!seconds) return words().soon;
    const [count, unit] =
      seconds < 90 ? [seconds, "second"] : seconds < 5400 ? [seconds / 60, "minute"] : [seconds / 3600, "hour"];
    return new Intl.RelativeTimeFormat(language()).format(Math.ceil(count), unit);
  }

  // --- Asking ---------------------------------------------------------------------------------------

  let running = null; // the AbortController of the question that is being answered

  function submit() {
    const question = parts.input.value.trim();
    if (!question || running) return;
    parts.input.value = "";
    showLength();
    parts.log.querySelectorAll(".note").forEach((note) => note.remove());
    const message = { role: "visitor", text: question };
    talk.messages.push(message);
    remember();
    parts.log.append(messageElement(message, "entering"));
    scrollToEnd();
    parts.input.focus();
    answer(question);
  }

  async function answer(question) {
    const run = new AbortController();
    setRunning(run);
    const draft = showDraft();
    const patience = watchFor(run);
    try {
      const asked = ask(question, run.signal, (soFar) => {
        patience.renew();
        atEnd(() => draft.lastChild.replaceChildren(...answerNodes(soFar)));
      });
      const given = await untilAborted(asked, run.signal);
      finish(run, draft, { role: "agent", text: text(given.answer), sources: given.sources });
    } catch (error) {
      finish(run, draft, run.signal.aborted ? run.signal.reason : error);
    } finally {
      patience.end();
    }
  }

  /** A whole message is put there anew: only so is it read out once, and whole. */
  function finish(run, draft, outcome) {
    if (running !== run) return; // a new conversation has begun
    setRunning(null);
    atEnd(() => draft.remove());
    if (outcome instanceof Error) {
      showFailure(outcome);
      return;
    }
    talk.messages.push(outcome);
    remember();
    atEnd(() => parts.log.append(messageElement(outcome)));
  }

  /** What is said so far; screen readers get the whole instead. */
  function showDraft() {
    const draft = messageElement({ role: "agent", text: "" }, "entering");
    draft.setAttribute("aria-hidden", "true");
    draft.lastChild.append(make("div", { class: "dots" }, make("i"), make("i"), make("i")));
    atEnd(() => parts.log.append(draft));
    return draft;
  }

  function setRunning(run) {
    running = run;
    parts.log.setAttribute("aria-busy", String(Boolean(run)));
    parts.status.textContent = run ? words().thinking : "";
    parts.stop.hidden = !run;
    parts.send.hidden = Boolean(run);
  }

  /** Gives up when nothing comes for too long. */
  function watchFor(run) {
    let timer = 0;
    const end = () => clearTimeout(timer);
    const renew = () => {
      end();
      timer = setTimeout(() => run.abort(new Failure("broken")), SILENCE_MAX_MS);
    };
    renew();
    return { renew, end };
  }

  function untilAborted(promise, signal) {
    const aborted = new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
    return Promise.race([promise, aborted]);
  }

  function stop() {
    running?.abort(new Failure("stopped"));
    parts.input.focus();
  }

  function restart() {
    running?.abort(new Failure("stopped"));
    setRunning(null);
    Object.assign(talk, { session: "", messages: [] });
    remember();
    showTalk();
    parts.input.focus();
  }

  // --- Opening and closing --------------------------------------------------------------------------

  const isSmall = matchMedia("(max-width: 520px), (max-height: 420px)"); // as in LOOKS

  function open({ takesFocus = true } = {}) {
    talk.isOpen = true;
    remember();
    showOpen();
    if (takesFocus) parts.input.focus();
    if (!talk.session && !talk.messages.length) greet();
    else scrollToEnd();
  }

  function close() {
    talk.isOpen = false;
    remember();
    showOpen();
    parts.launcher.focus();
  }

  function showOpen() {
    const { widget, panel, launcher } = parts;
    panel.hidden = !talk.isOpen;
    widget.classList.toggle("is-open", talk.isOpen);
    launcher.setAttribute("aria-expanded", String(talk.isOpen));
    launcher.setAttribute("aria-label", talk.isOpen ? words().close : words().open);
    launcher.replaceChildren(icon(talk.isOpen ? "down" : "chat", 28));
    fitKeyboard();
  }

  async function greet() {
    if (talk.session) return;
    const dots = showDraft();
    parts.log.replaceChildren(dots);
    try {
      await startSession();
      if (!talk.messages.length) showTalk();
    } catch (failure) {
      if (talk.messages.length) return; // its own failure is told
      showTalk();
      showFailure(failure);
    }
  }

  /** On a phone the panel ends where the keyboard begins, and holds the focus. */
  function fitKeyboard() {
    const view = window.visualViewport;
    const fills = isSmall.matches && talk.isOpen;
    const looks = fills && view ? `.panel { height: ${view.height}px; top: ${view.offsetTop}px !important; bottom: auto !important; }` : "";
    keyboardLooks.replaceSync(looks);
    parts.panel.setAttribute("aria-modal", String(fills));
  }

  function onKey(event) {
    event.stopPropagation(); // a page's shortcuts are not for what is typed here
    if (event.type !== "keydown" || event.isComposing) return;
    if (event.key === "Escape" && talk.isOpen) close();
    if (event.key === "Tab" && isSmall.matches && talk.isOpen) keepFocus(event);
    if (event.key === "Enter" && !event.shiftKey && event.target === parts.input) {
      event.preventDefault();
      submit();
    }
  }

  /** From the last element to the first, and back: what is behind the panel cannot be seen. */
  function keepFocus(event) {
    const all = [...parts.panel.querySelectorAll("button, a, textarea, [tabindex]")];
    const shown = all.filter((element) => element.getClientRects().length);
    const [from, to] = event.shiftKey ? [shown[0], shown.at(-1)] : [shown.at(-1), shown[0]];
    if (event.target !== from) return;
    event.preventDefault();
    to.focus();
  }

  // --- Words of the frame ---------------------------------------------------------------------------

  function language() {
    return settings.language ?? (talk.language in WORDS ? talk.language : "es");
  }

  function words() {
    return WORDS[language()];
  }

  function agentName() {
    return talk.name || words().title;
  }

  function label(element, words) {
    element.setAttribute("aria-label", words);
    element.title = words;
  }

  function showWords() {
    const { widget, panel, log, input, name, kind, avatar } = parts;
    widget.lang = language();
    panel.setAttribute("aria-label", words().dialog(talk.name));
    log.setAttribute("aria-label", words().log);
    name.textContent = agentName();
    kind.textContent = words().kind;
    avatar.textContent = [...agentName()][0].toUpperCase();
    input.placeholder = words().placeholder;
    input.setAttribute("aria-label", words().question);
    for (const part of ["restart", "close", "send", "stop"]) label(parts[part], words()[part]);
    parts.launcher.setAttribute("aria-label", talk.isOpen ? words().close : words().open);
  }

  function showLength() {
    const used = parts.input.value.length;
    parts.grow.dataset.text = parts.input.value;
    parts.send.setAttribute("aria-disabled", String(!parts.input.value.trim()));
    parts.counter.hidden = used < COUNTER_FROM_CHARS;
    parts.counter.textContent = words().counter(used);
  }

  function showTheme() {
    const isDark = settings.theme ? settings.theme === "dark" : prefersDark.matches;
    parts.widget.classList.toggle("dark", isDark);
  }

  // --- Building -------------------------------------------------------------------------------------

  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const keyboardLooks = new CSSStyleSheet();
  const settings = readSettings();
  if (!settings) return;
  const talk = recall();
  const parts = makeParts();

  function makeParts() {
    const button = (name, shape) => make("button", { type: "button", class: name }, icon(shape));
    const input = make("textarea", { rows: 1, maxlength: QUESTION_MAX_CHARS, enterkeyhint: "send", autocomplete: "off" });
    return {
      input,
      launcher: make("button", { type: "button", class: "launcher", "aria-haspopup": "dialog" }),
      log: make("div", { class: "log", role: "log", "aria-live": "polite", tabindex: 0 }),
      status: make("div", { class: "unseen", role: "status" }),
      name: make("h2", { class: "name" }),
      kind: make("p", { class: "kind" }),
      avatar: make("div", { class: "avatar", "aria-hidden": "true" }),
      restart: button("tool restart", "restart"),
      close: button("tool close", "close"),
      send: make("button", { type: "submit", class: "send" }, icon("send")),
      stop: button("send stop", "stop"),
      grow: make("div", { class: "grow" }, input),
      counter: make("p", { class: "counter" }),
      panel: make("div", { class: "panel", role: "dialog" }),
      widget: make("div", { class: `widget ${settings.side}` }),
    };
  }

  function assemble() {
    const { widget, panel, launcher, input, grow, send, counter } = parts;
    const names = make("div", { class: "names" }, parts.name, parts.kind);
    const header = make("header", {}, parts.avatar, names, parts.restart, parts.close);
    const form = make("form", {}, make("div", { class: "field" }, grow, send, parts.stop), counter);
    panel.append(header, parts.log, parts.status, form);
    widget.append(launcher, panel);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      submit();
    });
    input.addEventListener("input", showLength);
    launcher.addEventListener("click", () => (talk.isOpen ? close() : open()));
    parts.close.addEventListener("click", close);
    parts.restart.addEventListener("click", restart);
    parts.stop.addEventListener("click", stop);
    for (const type of ["keydown", "keyup", "keypress"]) widget.addEventListener(type, onKey);
  }

  function follow() {
    prefersDark.addEventListener("change", showTheme);
    isSmall.addEventListener("change", fitKeyboard);
    window.visualViewport?.addEventListener("resize", fitKeyboard);
    window.visualViewport?.addEventListener("scroll", fitKeyboard);
  }

  function start() {
    const looks = new CSSStyleSheet();
    looks.replaceSync(`${LOOKS}\n${accentLooks(settings.color)}`);
    const host = document.createElement("knowledge-agent-chat");
    const root = host.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [looks, keyboardLooks];
    assemble();
    root.append(parts.widget);
    showTheme();
    showWords();
    showLength();
    setRunning(null);
    showTalk();
    showOpen();
    follow();
    document.body.append(host);
    if (talk.isOpen) open({ takesFocus: false });
  }

  if (document.body) start();
  else document.addEventListener("DOMContentLoaded", start);
})();
