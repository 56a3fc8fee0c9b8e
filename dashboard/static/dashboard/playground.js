// The playground: asks, shows the answer as it is written, and then why. What documents, models and
// people wrote becomes text nodes, and nothing else.
"use strict";

(() => {
  const area = document.querySelector("[data-playground]");
  const form = area.querySelector("form");
  const log = area.querySelector("[data-log]");
  const spoken = area.querySelector("[data-spoken]");
  const question = form.elements.question;
  const words = JSON.parse(area.dataset.words);
  const language = document.documentElement.lang;
  let running = null; // the AbortController of the question that is being answered

  // --- Elements

  function make(name, looks = "", ...children) {
    const element = document.createElement(name);
    if (looks) element.className = looks;
    element.append(...children); // a string becomes a text node
    return element;
  }

  function fill(sentence, values) {
    return sentence.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
  }

  function percent(value) {
    return new Intl.NumberFormat(language, { style: "percent" }).format(value);
  }

  function decimal(value) {
    return new Intl.NumberFormat(language, { maximumFractionDigits: 2 }).format(value);
  }

  // --- A conversation: its session lives as long as this page

  function newSession() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    form.elements.session.value = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  area.querySelector("[data-restart]").addEventListener("click", () => {
    running?.abort();
    log.replaceChildren();
    newSession();
    spoken.textContent = words.cleared;
    question.focus();
  });

  // --- Asking

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    event.stopPropagation(); // or the page takes the form for sent, once and for all
    const text = question.value.trim();
    if (!text || running) return;
    const body = new URLSearchParams(new FormData(form));
    body.set("question", text);
    question.value = "";
    answer(text, body);
  });

  question.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });

  async function answer(text, body) {
    running = new AbortController();
    const own = running;
    const draft = make("p", "answer-text", words.thinking);
    const card = make("article", "card answered-with", draft);
    card.setAttribute("aria-busy", "true");
    log.append(make("p", "asked", make("span", "visually-hidden", `${words.you} `), text), card);
    card.scrollIntoView({ block: "nearest" });
    spoken.textContent = words.thinking;
    try {
      await showAnswer(card, draft, text, body, own.signal);
    } catch (failure) {
      if (!own.signal.aborted) fail(card, failure instanceof Failure ? failure.message : words.unreachable);
    }
    card.removeAttribute("aria-busy");
    if (running === own) running = null;
  }

  async function showAnswer(card, draft, text, body, signal) {
    let soFar = "";
    let done = null;
    for await (const { name, data } of ask(body, signal)) {
      if (name === "delta") draft.textContent = soFar += data.text;
      if (name === "error") throw new Failure(data.text ?? words.broken);
      if (name === "done") finish(card, draft, text, (done = data));
      if (name === "why") card.querySelector(".wrong-answer").before(whyElement(text, data));
    }
    if (!done) throw new Failure(words.broken);
  }

  class Failure extends Error {}

  function fail(card, message) {
    const note = make("p", "message error", message);
    card.replaceChildren(note);
    spoken.textContent = message;
  }

  // Raises Failure, and whatever fetch does.
  async function* ask(body, signal) {
    const response = await fetch(form.action, { method: "POST", body, signal, redirect: "manual" });
    const isStream = (response.headers.get("Content-Type") ?? "").startsWith("text/event-stream");
    if (!isStream) throw new Failure(words.reload); // signed out, or the form is too old
    yield* readEvents(response.body);
  }

  // Server-sent events, wherever the network cuts them. Ours have one line of data each.
  async function* readEvents(stream) {
    const reader = stream.getReader();
    const decoder = new TextDecoder();
    let rest = "";
    for (let step = await reader.read(); !step.done; step = await reader.read()) {
      rest += decoder.decode(step.value, { stream: true });
      const blocks = rest.split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) {
        const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
        if (name) yield { name, data: JSON.parse(data) };
      }
    }
  }

  // --- The answer

  function finish(card, draft, text, given) {
    draft.textContent = given.answer;
    spoken.textContent = given.answer;
    const looks = { answered: "good", unsure: "warn", none: "" }[given.confidence] ?? "";
    const badge = make("span", `badge ${looks}`, words.confidence[given.confidence] ?? given.confidence);
    card.append(sourcesElement(given.sources), make("p", "", badge), wrongElement(text, given));
    htmx.process(card);
  }

  function sourcesElement(sources) {
    if (!sources.length) return make("p", "note", words.noSources);
    const items = sources.map((source) => {
      const place = [source.section_title, source.page_or_row].filter(Boolean).join(" · ");
      const score = fill(words.similarity, { value: decimal(source.similarity) });
      return make("li", "", make("strong", "", source.source_file), ` ${place} `, make("span", "note nowrap", `(${score})`));
    });
    return make("div", "", make("h3", "", words.sources), make("ol", "answer-sources", ...items));
  }

  function wrongElement(text, given) {
    const form = document.querySelector("template[data-wrong]").content.firstElementChild.cloneNode(true);
    const sources = given.sources.map(({ source_file, page_or_row, section_title }) => ({ source_file, page_or_row, section_title }));
    form.querySelector("[name=question]").value = text;
    form.querySelector("[name=answer]").value = given.answer;
    form.querySelector("[name=sources]").value = JSON.stringify(sources);
    return form;
  }

  // --- Why

  function whyElement(text, why) {
    const parts = [make("p", "", words.reasons[why.reason] ?? why.reason)];
    if (why.understood !== text) parts.push(make("p", "", fill(words.understood, { text: why.understood })));
    if (why.unmentioned.length) parts.push(make("p", "", fill(words.unmentioned, { names: why.unmentioned.join(", ") })));
    if (why.certainty !== null) {
      const values = { value: percent(why.certainty), needed: percent(why.certainty_needed) };
      parts.push(make("p", "", fill(words.certainty, values)), make("blockquote", "kept-lines breaks", why.best_sentence));
    }
    if (why.passages.length) {
      const values = { source: percent(why.source_threshold), answer: percent(why.answer_threshold) };
      parts.push(make("p", "note", `${words.passages} ${fill(words.threshold, values)}`));
      parts.push(make("ol", "passages", ...why.passages.map(passageElement)));
    }
    return make("details", "why", make("summary", "", words.why), ...parts);
  }

  function passageElement(passage) {
    const used = make("span", passage.is_chosen ? "badge good" : "badge", passage.is_chosen ? words.used : words.notUsed);
    const relevance = passage.relevance === null ? words.notJudged : fill(words.relevance, { value: percent(passage.relevance) });
    const similarity = fill(words.similarity, { value: decimal(passage.similarity) });
    const place = [passage.section_title, passage.location].filter(Boolean).join(" · ");
    const lies = passage.document === passage.title ? [] : [make("p", "note breaks", passage.document)];
    const text = passage.parts.map((part) => (part.is_match ? make("mark", "", part.text) : part.text));
    return make(
      "li",
      "",
      make("div", "row", titleElement(passage), make("span", "breaks", place), used),
      ...lies,
      make("p", "note", `${relevance} · ${similarity}`),
      make("blockquote", "", ...text),
    );
  }

  // What was stored may be anything; of links only these are followed.
  function titleElement(passage) {
    const title = make("strong", "", passage.title);
    const address = [passage.link, passage.document].find((each) => /^https?:\/\//.test(each));
    if (!address) return title;
    const link = make("a", "", title);
    link.href = address;
    link.rel = "noopener noreferrer nofollow";
    link.target = "_blank";
    return link;
  }

  newSession();
  // Until here a click would have sent the form as a page of its own.
  form.querySelector("[type=submit]").disabled = false;
})();
