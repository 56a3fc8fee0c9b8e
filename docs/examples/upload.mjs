// Upload a file once, however often the request has to be sent. Node 18 or later; no package.
// Sources are an admin's: this logs in as one.
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout } from "node:timers/promises";

const { BASE_URL, EMAIL, PASSWORD, FILE } = process.env;
const TRIES = 5;

async function readAnswer(response) {
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return response.json();
}

const login = await fetch(`${BASE_URL}/auth/login`, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
});
const { access_token: token } = await readAnswer(login);

const key = randomUUID(); // the same one for every try
const form = new FormData();
form.append("file", new Blob([await readFile(FILE)]), basename(FILE));

async function upload(tries) {
  const again = async (seconds) => {
    await setTimeout(seconds * 1000);
    return upload(tries - 1);
  };
  try {
    const response = await fetch(`${BASE_URL}/ingest/sources/upload`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Idempotency-Key": key },
      body: form,
    });
    const seconds = response.headers.get("Retry-After");
    return seconds && tries > 1 ? again(Number(seconds)) : response;
  } catch (broken) {
    if (tries <= 1) throw broken;
    return again(1);
  }
}

const source = await readAnswer(await upload(TRIES));
console.log(`${source.name}: ${source.sync_status}, ${source.chunks_count} passages`);
