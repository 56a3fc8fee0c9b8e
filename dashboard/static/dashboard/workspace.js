// Names of countries beside their codes, in the language of the page, as the browser knows them.
"use strict";

for (const select of document.querySelectorAll("select[data-countries]")) {
  const language = document.documentElement.lang;
  const names = new Intl.DisplayNames([language], { type: "region" });
  const [first, ...others] = select.options;
  for (const option of select.options) option.textContent = `${names.of(option.value)} (${option.value})`;
  const chosen = select.value;
  others.sort((one, other) => one.textContent.localeCompare(other.textContent, language));
  select.replaceChildren(first, ...others);
  select.value = chosen;
}
