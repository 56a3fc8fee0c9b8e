"use strict";

// The page of an invitation. All words are in the page, in the reader's language.

const passwordForm = document.getElementById("password-form");
const codeForm = document.getElementById("code-form");
const problem = document.getElementById("problem");
const success = document.getElementById("success");
const token = new URLSearchParams(location.search).get("token") ?? "";
let challenge = "";

function showProblem(name) {
  const known = document.querySelector(`[data-problem="${CSS.escape(name)}"]`);
  const message = known ?? document.querySelector('[data-problem="OUR_SIDE"]');
  problem.textContent = message.textContent;
  problem.focus();
}

function showForm(form) {
  passwordForm.hidden = form !== passwordForm;
  codeForm.hidden = form !== codeForm;
}

function showSuccess(tenantSlug) {
  showForm(null);
  success.querySelector("[data-tenant]").textContent = tenantSlug;
  success.hidden = false;
  success.focus();
  history.replaceState(null, "", location.pathname); // the token is used up
}

async function post(path, content) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(content),
    credentials: "omit",
    cache: "no-store",
  });
  return { status: response.status, content: await response.json() };
}

function showAnswer({ status, content }) {
  if (content.two_factor_required) {
    challenge = content.challenge;
    showForm(codeForm);
    document.getElementById("code").focus();
  } else if (status === 200) {
    showSuccess(content.tenant_slug);
  } else if (content.error.code === "UNAUTHORIZED") {
    showForm(passwordForm); // the challenge is over
    showProblem("UNAUTHORIZED");
  } else {
    showProblem(status >= 500 ? "OUR_SIDE" : content.error.code);
  }
}

async function send(form, path, content) {
  const button = form.querySelector("button");
  button.disabled = true; // one press, one request
  problem.textContent = "";
  try {
    showAnswer(await post(path, content));
  } catch {
    showProblem("NO_ANSWER"); // no connection, or what answered was not us
  } finally {
    button.disabled = false;
  }
}

passwordForm.addEventListener("submit", (event) => {
  event.preventDefault();
  const password = document.getElementById("password").value;
  if (password !== document.getElementById("repeated").value) {
    showProblem("NOT_THE_SAME");
    return;
  }
  send(passwordForm, "/auth/activate", { token, password });
});

codeForm.addEventListener("submit", (event) => {
  event.preventDefault();
  const code = document.getElementById("code").value.trim();
  send(codeForm, "/auth/2fa/verify", { challenge, code });
});

if (token) {
  showForm(passwordForm);
} else {
  showProblem("NO_TOKEN");
}
