// All agents of a workspace, page by page: the Link header says where a list goes on.
const { BASE_URL, TOKEN } = process.env;

let url = `${BASE_URL}/agents?limit=100`;
while (url) {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${TOKEN}` } });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  for (const agent of await response.json()) console.log(agent.id, agent.name);
  url = response.headers.get("Link")?.match(/<([^>]+)>; rel="next"/)?.[1];
}
