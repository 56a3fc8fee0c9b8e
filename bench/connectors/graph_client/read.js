// What Microsoft's own client of Graph reads of a drive, as JSON: node read.js ADDRESS TOKEN
const { Client, PageIterator } = require("@microsoft/microsoft-graph-client");

const [standIn, token] = process.argv.slice(2);
const graph = "https://graph.microsoft.com";
const plainFetch = globalThis.fetch;

// The client gives its token to Graph's own hosts alone, and follows no links but to https.
globalThis.fetch = async (address, options = {}) => {
  const answer = await plainFetch(String(address).replace(graph, standIn), options);
  if (!(answer.headers.get("content-type") || "").includes("json")) return answer;
  const body = (await answer.text()).replaceAll(standIn, graph);
  return new Response(body, { status: answer.status, headers: answer.headers });
};

const client = Client.initWithMiddleware({
  authProvider: { getAccessToken: async () => token },
  baseUrl: `${graph}/`,
  defaultVersion: "v1.0",
});

async function take(first) {
  const items = new Map(); // the last of an id is right
  const pages = new PageIterator(client, first, (item) => items.set(item.id, item));
  await pages.iterate();
  return { items, delta: pages.getDeltaLink() };
}

async function refusal(path) {
  return client.api(path).get().then(() => null, (error) => [error.statusCode, error.code]);
}

async function read() {
  const me = await client.api("/me").get();
  const drive = await client.api("/me/drive").select("id,name").get();
  const { items, delta } = await take(await client.api(`/drives/${drive.id}/root/delta`).get());
  const files = [...items.values()].filter((item) => item.file);
  const content = `/drives/${drive.id}/items/${files[0].id}/content`;
  const sites = await client.api("/sites").query({ search: "*" }).get();
  return {
    account: me.userPrincipalName,
    files: files.map((item) => item.id).sort(),
    again: (await client.api(delta).get()).value.length,
    first: [files[0].id, await client.api(content).responseType("text").get()],
    sites: sites.value.map((site) => site.displayName),
    unknown: await refusal(`/drives/${drive.id}/items/unknown`),
    old: await refusal(`/drives/${drive.id}/root/delta(token='old')`),
  };
}

read().then((found) => console.log(JSON.stringify(found)));
