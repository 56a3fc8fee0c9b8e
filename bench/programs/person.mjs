// Somebody at a browser, without the browser: signs in to the dashboard and answers its consent page.

const MAX_STEPS = 10;

export class Person {
  #cookies = new Map();

  constructor(email, password) {
    this.email = email;
    this.password = password;
  }

  // From a program's authorization URL to where it is sent back to (not fetched). `answer`: allow or cancel.
  async answer(authorizationUrl, redirectUrl, answer = "allow") {
    let page = await this.#request(authorizationUrl);
    for (let step = 0; step < MAX_STEPS; step += 1) {
      if (page.location?.startsWith(redirectUrl)) return new URL(page.location);
      if (page.location) page = await this.#request(page.location);
      else if (page.text.includes('type="password"')) page = await this.#signIn(page);
      else if (page.text.includes('value="allow"')) page = await this.#submit(page, { answer });
      else throw new Error(`${page.status} at ${page.url}: ${plainText(page.text)}`);
    }
    throw new Error("the dashboard leads in circles");
  }

  #signIn(page) {
    const name = (type) => inputs(page.text).find((input) => input.type === type).name;
    return this.#submit(page, { [name("email")]: this.email, [name("password")]: this.password });
  }

  #submit(page, values) {
    const hidden = inputs(formOf(page.text)).filter((input) => input.type === "hidden");
    const fields = Object.fromEntries(hidden.map((input) => [input.name, input.value ?? ""]));
    return this.#request(page.url, new URLSearchParams({ ...fields, ...values }));
  }

  async #request(url, body) {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const origin = new URL(url).origin;
    const headers = { cookie, ...(body && { origin, referer: String(url) }) };
    const method = body ? "POST" : "GET";
    const response = await fetch(url, { method, body, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = line.match(/^([^=]+)=([^;]*)/);
      this.#cookies.set(name, value);
    }
    const location = response.headers.get("location");
    return {
      url: String(url),
      status: response.status,
      location: location && String(new URL(location, url)),
      text: await response.text(),
    };
  }
}

// The last form of the page, which is the one that the page is for.
function formOf(html) {
  return [...html.matchAll(/<form method="post".*?<\/form>/gs)].at(-1)[0];
}

function inputs(html) {
  return [...html.matchAll(/<input\b[^>]*>/g)].map(([tag]) =>
    Object.fromEntries(
      [...tag.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    ),
  );
}

function plainText(html) {
  const main = html.match(/<main.*<\/main>/s)?.[0] ?? html;
  return main.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ").trim().slice(0, 300);
}
