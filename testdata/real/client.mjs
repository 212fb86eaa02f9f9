// Compares the names that the official TypeScript client lists of a server with those of a report of mcpctl.
// node client.mjs CAPABILITIES REPORT stdio COMMAND ARG… | streamable-http URL | sse URL
import { deepStrictEqual } from 'node:assert';
import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import * as types from '@modelcontextprotocol/sdk/types.js';

const [capabilities, report, kind, target, ...args] = process.argv.slice(2);
const transports = {
  'stdio': () => new StdioClientTransport({ command: target, args, env: process.env, stderr: 'ignore' }),
  'streamable-http': () => new StreamableHTTPClientTransport(new URL(target)),
  'sse': () => new SSEClientTransport(new URL(target)),
};
const client = new Client({ name: 'official', version: '1' }, { capabilities: JSON.parse(capabilities) });
const answers = [
  ['roots', types.ListRootsRequestSchema, { roots: [] }],
  ['elicitation', types.ElicitRequestSchema, { action: 'decline' }],
];
for (const [name, schema, answer] of answers) {
  if (JSON.parse(capabilities)[name]) client.setRequestHandler(schema, async () => answer);
}
await client.connect(transports[kind]());
const names = {};
const lists = {
  tools: ['tools/list', types.ListToolsResultSchema, 'name'],
  prompts: ['prompts/list', types.ListPromptsResultSchema, 'name'],
  resources: ['resources/list', types.ListResourcesResultSchema, 'uri'],
  resourceTemplates: ['resources/templates/list', types.ListResourceTemplatesResultSchema, 'uriTemplate'],
};
for (const [member, [method, schema, key]] of Object.entries(lists)) {
  names[member] = [];
  let cursor;
  do {
    const page = await client.request({ method, params: cursor ? { cursor } : {} }, schema);
    names[member].push(...page[member].map(item => item[key]));
    cursor = page.nextCursor;
  } while (cursor);
}
await client.close();
const server = JSON.parse(readFileSync(report)).servers[0];
for (const [member, [, , key]] of Object.entries(lists)) {
  deepStrictEqual((server[member] ?? []).map(item => item[key]), names[member], member);
}
