// What every page does: menus, copying, confirming, and noticing that the connection is gone.
"use strict";

(() => {
  const words = document.body.dataset;

  // <button data-toggles="id">: opens and closes that element.
  document.addEventListener("click", (event) => {
    const toggle = event.target.closest("[data-toggles]");
    if (!toggle) return;
    const target = document.getElementById(toggle.dataset.toggles);
    toggle.setAttribute("aria-expanded", String(target.classList.toggle("open")));
  });

  // <button data-copies="id">: the text, or value, of that element.
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copies]");
    if (!button) return;
    const source = document.getElementById(button.dataset.copies);
    try {
      await navigator.clipboard.writeText(source.value ?? source.textContent);
    } catch {
      // Without a secure context there is no clipboard: the text is marked, to be copied by hand.
      const range = document.createRange();
      range.selectNodeContents(source);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      return;
    }
    const label = button.textContent;
    button.textContent = words.copied;
    setTimeout(() => { button.textContent = label; }, 2000);
  });

  // <button data-opens="id"> opens that <dialog>; data-closes within it closes it.
  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-opens]");
    if (opener) document.getElementById(opener.dataset.opens).showModal();
    const closer = event.target.closest("[data-closes]");
    if (closer) closer.closest("dialog").close();
  });

  // <input data-must-be="the name"> lets its form's submit button work once that is typed.
  document.addEventListener("input", (event) => {
    const wanted = event.target.dataset?.mustBe;
    if (wanted === undefined) return;
    const button = event.target.form.querySelector("[type=submit]");
    button.disabled = event.target.value.trim() !== wanted;
  });

  // A refused form: its list of faults has the focus, or its first wrong field where there is none.
  document.querySelector(".faults, .field.wrong :is(input, select, textarea)")?.focus();

  // A form is sent once: a second click does nothing until the answer is there.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post" || form.hasAttribute("hx-post")) return;
    if (form.dataset.sent) { event.preventDefault(); return; }
    form.dataset.sent = "yes";
  });
  addEventListener("pageshow", (event) => {
    if (event.persisted) document.querySelectorAll("form[data-sent]").forEach((form) => { delete form.dataset.sent; });
  });

  // An open menu closes with Escape or a click elsewhere.
  const closeMenus = (except) => document.querySelectorAll("details.account[open]").forEach((menu) => { if (menu !== except) menu.open = false; });
  document.addEventListener("click", (event) => closeMenus(event.target.closest("details.account")));
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") closeMenus(null); });

  // The connection: what refreshes itself goes on trying; the person is told meanwhile.
  const note = document.getElementById("connection");
  let isLost = false;
  const lose = () => {
    isLost = true;
    note.textContent = words.offline;
    note.hidden = false;
  };
  const find = () => {
    // An answer that was on its way when the line broke says nothing of the line.
    if (!isLost || !navigator.onLine) return;
    isLost = false;
    note.textContent = words.online;
    setTimeout(() => { if (!isLost) note.hidden = true; }, 3000);
  };
  document.addEventListener("htmx:sendError", lose);
  document.addEventListener("htmx:timeout", lose);
  document.addEventListener("htmx:afterOnLoad", find);
  addEventListener("offline", lose);
  addEventListener("online", find);
})();
