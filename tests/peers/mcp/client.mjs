// The official TypeScript client: it validates each answer by the schema of its tool.
import assert from "node:assert";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const client = new Client({ name: "test", version: "1" });
await client.connect(new StdioClientTransport({
  command: process.env.KML, args: ["mcp", "--allow", "submit,cancel"], env: process.env }));
const { tools } = await client.listTools();
assert(tools.some((tool) => tool.name === "apply" && tool.annotations.idempotentHint));
for (const [name, args] of [["queue", {}], ["list", {}], ["why", { job: "strangers" }], ["runs", {}], ["top_nodes", {}]]) {
  const answer = await client.callTool({ name, arguments: args });
  assert(!answer.isError, JSON.stringify(answer));
  assert("data" in answer.structuredContent);
}
const plan = await client.callTool({ name: "plan", arguments: { name: "of-ts", command: ["sleep", "1000"] } });
const id = plan.structuredContent.data.id;
const made = await Promise.all([1, 2, 3].map(() => client.callTool({ name: "apply", arguments: { plan: id } })));
assert.strictEqual(new Set(made.map((each) => JSON.stringify(each.structuredContent.data))).size, 1);
assert((await client.callTool({ name: "cancel", arguments: { names: ["strangers"] } })).isError);
assert(!(await client.callTool({ name: "cancel", arguments: { names: ["of-ts"] } })).isError);
assert((await client.listPrompts()).prompts.length === 3);
assert((await client.readResource({ uri: "kml://job/strangers/log" })).contents.length === 1);
const controller = new AbortController();
const waiting = client.callTool({ name: "wait", arguments: { names: ["strangers"] } }, undefined, { signal: controller.signal });
setTimeout(() => controller.abort(), 300);
await assert.rejects(waiting);
assert(!(await client.callTool({ name: "queue", arguments: {} })).isError);
await client.close();
