"use strict";

// Signing up: the short name follows the name, until somebody types one of their own.
(() => {
  const short = document.querySelector("[data-suggested-from]");
  if (!short) return;
  const name = document.getElementById(short.dataset.suggestedFrom);
  let isOwn = short.value !== "";
  short.addEventListener("input", () => { isOwn = short.value !== ""; });
  name.addEventListener("input", () => {
    if (isOwn) return;
    short.value = name.value
      .normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase()
      .replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 63);
  });
})();

// An invitation: its link has the token behind the #, which browsers send to nobody. It goes into the form, and into the links to
// this page in another language.
(() => {
  const form = document.querySelector("[data-invitation]");
  if (!form) return;
  const field = form.elements.token;
  const fill = () => {
    const given = new URLSearchParams(location.hash.slice(1)).get("token");
    if (given) field.value = given;
    const isWrong = field.getAttribute("aria-invalid") === "true";
    field.closest(".field").hidden = field.value !== "" && !isWrong;
    if (!field.value) return;
    for (const link of document.querySelectorAll(".languages a")) {
      link.hash = new URLSearchParams({ token: field.value }).toString();
    }
  };
  addEventListener("hashchange", fill);
  fill();
})();
