// The answer word by word, while it is written. Node 18 or later; no package.
const { BASE_URL, TOKEN, QUESTION } = process.env;

async function* readEvents(response) {
  let unread = "";
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (unread + text).split("\n\n");
    unread = events.pop();
    for (const event of events) {
      const fields = Object.fromEntries(event.split("\n").map((line) => line.split(/: (.*)/s)));
      if (fields.data) yield [fields.event, JSON.parse(fields.data)];
    }
  }
}

const response = await fetch(`${BASE_URL}/agent/query`, {
  method: "POST",
  headers: {
    Authorization: `Bearer ${TOKEN}`,
    "Content-Type": "application/json",
    Accept: "text/event-stream",
  },
  body: JSON.stringify({ query: QUESTION }),
});
if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);

for await (const [name, data] of readEvents(response)) {
  if (name === "delta") process.stdout.write(data.text);
  if (name === "done") console.log("\nFrom:", data.sources.map((source) => source.source_file).join(", "));
  if (name === "error") throw new Error(`It broke off: ${data.error}`);
}
