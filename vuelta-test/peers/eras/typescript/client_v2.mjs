// Tells the stories of the eras with the client of the TypeScript SDK 2.
//
//     client_v2.mjs --era modern|legacy URL
//     client_v2.mjs --era modern|legacy --stdio -- COMMAND ARGUMENTS

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { User, main } from "./stories.mjs";

const CHANGED = "notifications/tools/list_changed";

await main(async (target, era) => {
  const client = new Client(
    { name: "eras-client", version: "1.0.0" },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: era === "modern" ? "auto" : "legacy" },
    },
  );
  const user = new User();
  client.setRequestHandler("elicitation/create", async ({ params }) => user.answer(params));
  const transport =
    typeof target === "string"
      ? new StreamableHTTPClientTransport(new URL(target))
      : new StdioClientTransport({ command: target[0], args: target.slice(1) });
  await client.connect(transport);
  return {
    client,
    user,
    revision: () => client.getNegotiatedProtocolVersion(),
    call: (name, args, options) => client.callTool({ name, arguments: args }, options),
    async listen() {
      const heard = Promise.withResolvers();
      client.setNotificationHandler(CHANGED, async () => heard.resolve());
      if (era !== "modern") {
        return { heard: heard.promise, close: async () => {} };
      }
      const subscription = await client.listen({ toolsListChanged: true });
      if (!subscription.honoredFilter.toolsListChanged) {
        throw new Error("the server does not tell changes of tools");
      }
      return { heard: heard.promise, close: () => subscription.close() };
    },
  };
});
