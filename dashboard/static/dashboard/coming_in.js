// Signing up: the short name follows the name, until somebody types one of their own.
"use strict";

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
