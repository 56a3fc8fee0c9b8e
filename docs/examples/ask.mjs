// From a token to a first answer with its sources. Node 18 or later; no package.
const { BASE_URL, TOKEN, QUESTION } = process.env;

async function call(path, body) {
  const response = await fetch(`${BASE_URL}${path}`, {
    method: body ? "POST" : "GET",
    headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return response.json();
}

const [agent] = await call("/agents");
const answer = await call(`/agents/${agent.id}/query`, { query: QUESTION });

console.log(answer.answer);
if (answer.sources.length === 0) console.log("Nothing in the documents fits this question.");
answer.sources.forEach((source, index) => {
  console.log(`[${index + 1}] ${source.source_file}, ${source.page_or_row}`);
});
