// Tells the stories of the eras with the client of the TypeScript SDK 1.
//
//     client_v1.mjs --era legacy URL
//     client_v1.mjs --era legacy --stdio -- COMMAND ARGUMENTS

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  ElicitRequestSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";

import { User, main } from "./stories.mjs";

await main(async (target) => {
  const client = new Client(
    { name: "eras-client", version: "1.0.0" },
    { capabilities: { elicitation: { form: {} } } },
  );
  const user = new User();
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => user.answer(params));
  let transport;
  let revision;
  if (typeof target === "string") {
    transport = new StreamableHTTPClientTransport(new URL(target));
  } else {
    transport = new StdioClientTransport({ command: target[0], args: target.slice(1) });
  }
  // The client tells what was agreed to its transport alone.
  const tell = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (version) => {
    revision = version;
    tell?.(version);
  };
  await client.connect(transport);
  return {
    client,
    user,
    revision: () => revision,
    call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
    async listen() {
      const heard = Promise.withResolvers();
      client.setNotificationHandler(ToolListChangedNotificationSchema, async () => heard.resolve());
      return { heard: heard.promise, close: async () => {} };
    },
  };
});
