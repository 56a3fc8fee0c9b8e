// Files that are dropped or chosen, each in a request of its own; and the order of the list.
"use strict";

(() => {
  const AT_ONCE = 2;
  const LOOK_AGAIN_MS = 3000;
  const STATES_AT_ONCE = 50;

  const form = document.getElementById("upload");
  if (form) {
    const words = form.dataset;
    const input = form.querySelector("input[type=file]");
    const list = document.getElementById("uploads");
    const said = document.getElementById("uploads-said");
    const waiting = [];
    let running = 0;

    input.multiple = true;
    form.querySelector("button[type=submit]").hidden = true; // files go as soon as they are chosen

    const row = (file) => {
      const item = document.getElementById("upload-row").content.firstElementChild.cloneNode(true);
      item.querySelector(".upload-name").textContent = file.name;
      list.append(item);
      document.getElementById("uploads-next").hidden = false;
      return item;
    };

    const tell = (item, text) => { item.querySelector(".upload-words").textContent = text; };

    // `canSucceed`: trying again may help; a file of the wrong kind or size fails for ever.
    const fail = (item, file, text, canSucceed = true) => {
      tell(item, text);
      item.querySelector(".upload-words").classList.add("problem");
      item.querySelector("progress").hidden = true;
      said.textContent = `${file.name}: ${text}`;
      const button = item.querySelector("button");
      button.hidden = !canSucceed;
      button.onclick = () => {
        button.hidden = true;
        item.querySelector(".upload-words").classList.remove("problem");
        add(item, file);
      };
    };

    // A file of the same name is asked about before it is sent: two price lists at once are a trap.
    const ask = async (item, file) => {
      if (file.size > Number(words.maxBytes)) return fail(item, file, words.tooLarge, false);
      tell(item, words.waiting);
      const found = await fetch(`${words.earlier}?name=${encodeURIComponent(file.name)}`, { headers: { "HX-Request": "true" } }).catch(() => null);
      if (found?.status !== 200) return add(item, file);
      const outcome = item.querySelector(".upload-outcome");
      const before = [...outcome.children];
      outcome.innerHTML = await found.text(); // escaped by the server
      said.textContent = outcome.querySelector(".upload-words").textContent;
      outcome.addEventListener("click", (event) => {
        const button = event.target.closest("button");
        if (!button) return;
        item.dataset.replaces = button.dataset.replaces ?? "";
        outcome.replaceChildren(...before);
        add(item, file);
      });
    };

    const add = (item, file) => {
      tell(item, words.waiting);
      waiting.push([item, file]);
      next();
    };

    const next = () => {
      while (running < AT_ONCE && waiting.length) send(...waiting.shift());
    };

    const send = (item, file) => {
      const bar = item.querySelector("progress");
      const request = new XMLHttpRequest();
      const body = new FormData();
      body.append("replaces", item.dataset.replaces ?? "");
      body.append("file", file);
      running += 1;
      bar.hidden = false;
      bar.value = 0;
      tell(item, words.sending);
      request.open("POST", form.action);
      request.setRequestHeader("HX-Request", "true");
      request.setRequestHeader("X-CSRFToken", form.querySelector("[name=csrfmiddlewaretoken]").value);
      request.upload.onprogress = (event) => {
        if (event.lengthComputable) bar.value = Math.round(100 * event.loaded / event.total);
      };
      request.upload.onload = () => tell(item, words.storing);
      request.onload = () => settle(item, file, request);
      request.onerror = () => fail(item, file, words.lost);
      request.onloadend = () => { running -= 1; next(); };
      request.send(body);
    };

    const settle = (item, file, request) => {
      const elsewhere = request.getResponseHeader("HX-Redirect");
      if (elsewhere) return location.assign(elsewhere);
      if (request.status === 201) {
        item.innerHTML = request.responseText; // escaped by the server; scripts do not run
        said.textContent = item.textContent.trim().replace(/\s+/g, " ");
        return;
      }
      const wait = Number(request.getResponseHeader("Retry-After"));
      if (request.status === 429 && wait) {
        tell(item, words.again);
        setTimeout(() => add(item, file), wait * 1000);
        return;
      }
      const isMessage = request.getResponseHeader("HX-Retarget");
      const answer = document.createElement("template");
      answer.innerHTML = isMessage ? request.responseText : "";
      const isRefused = request.status >= 400 && request.status < 500;
      fail(item, file, answer.content.textContent.trim() || words.lost, !isRefused);
    };

    input.addEventListener("change", () => {
      for (const file of input.files) ask(row(file), file);
      input.value = "";
    });
    form.addEventListener("submit", (event) => event.preventDefault());

    // A file that is dropped beside the zone must not replace the page.
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", (event) => event.preventDefault());
    form.addEventListener("dragover", () => form.classList.add("over"));
    form.addEventListener("dragleave", () => form.classList.remove("over"));
    form.addEventListener("drop", (event) => {
      form.classList.remove("over");
      for (const file of event.dataTransfer.files) ask(row(file), file);
    });

    addEventListener("beforeunload", (event) => { if (running || waiting.length) event.preventDefault(); });

    // What became of a file is said once it is settled, not only that it waits.
    document.body.addEventListener("htmx:oobAfterSwap", (event) => {
      const item = event.detail.target.closest("#uploads li");
      if (item && !item.querySelector("[data-live]")) said.textContent = item.textContent.trim().replace(/\s+/g, " ");
    });

    setInterval(() => {
      const live = [...list.querySelectorAll("[data-live]")].slice(0, STATES_AT_ONCE);
      if (!live.length || document.hidden) return;
      const ids = live.map((state) => state.dataset.live).join(",");
      htmx.ajax("GET", `${words.states}?ids=${ids}`, { source: list, swap: "none" });
    }, LOOK_AGAIN_MS);
  }

  // Rows are dragged by their handle; who has no mouse has buttons.
  let dragged = null;
  const rowAt = (event) => event.target.closest?.("#source-list[data-order=yes] tr[data-source]");
  const unmark = () => document.querySelectorAll("tr.before, tr.after").forEach((tr) => tr.classList.remove("before", "after"));
  const isLower = (tr, event) => {
    const box = tr.getBoundingClientRect();
    return event.clientY > box.top + box.height / 2;
  };

  document.addEventListener("dragstart", (event) => {
    dragged = event.target.closest?.(".handle") ? rowAt(event) : null;
    if (!dragged) return;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", dragged.querySelector(".source-name").textContent);
    event.dataTransfer.setDragImage(dragged, 0, 0);
  });
  document.addEventListener("dragover", (event) => {
    const over = dragged && rowAt(event);
    unmark();
    if (!over || over === dragged) return;
    event.preventDefault();
    over.classList.add(isLower(over, event) ? "after" : "before");
  });
  document.addEventListener("drop", (event) => {
    const over = dragged && rowAt(event);
    if (!over || over === dragged) return;
    event.preventDefault();
    const values = { beside: over.dataset.source };
    if (isLower(over, event)) values.is_after = "on";
    htmx.ajax("POST", dragged.dataset.move, { source: dragged, target: "#source-list", swap: "outerHTML", values });
  });
  document.addEventListener("dragend", () => { unmark(); dragged = null; });
})();
