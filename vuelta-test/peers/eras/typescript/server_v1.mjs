// Serves the fixture of the eras with the TypeScript SDK 1; see `serving.mjs` for how.

import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { ElicitResultSchema, isInitializeRequest } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

import { bodyOf, listen, overStdio, sessions, text, tickets } from "./serving.mjs";

const Ticket = { ticket: z.string() };

function build() {
  const server = new McpServer({ name: "eras", version: "1.0.0" });

  const report = (extra, progress, total, message) => {
    const progressToken = extra._meta?.progressToken;
    const params = { progressToken, progress, total, message };
    return extra.sendNotification({ method: "notifications/progress", params });
  };

  server.registerTool(
    "add",
    {
      description: "Adds two numbers.",
      inputSchema: { a: z.int(), b: z.int() },
      outputSchema: { sum: z.int() },
    },
    async ({ a, b }) => ({ ...text(`${a + b}`), structuredContent: { sum: a + b } }),
  );

  server.registerTool(
    "greet",
    {
      description: "Asks for a name, and greets who has it.",
      inputSchema: { whom: z.enum(["guest", "ghost"]) },
    },
    async ({ whom }, extra) => {
      const params = {
        mode: "form",
        message: `What is the name of the ${whom}?`,
        requestedSchema: {
          type: "object",
          properties: { name: { type: "string" } },
          required: ["name"],
        },
      };
      const question = { method: "elicitation/create", params };
      const answer = await extra.sendRequest(question, ElicitResultSchema);
      return answer.action === "accept"
        ? text(`Hello, ${answer.content.name}!`)
        : text(`Nobody to greet: ${answer.action}.`);
    },
  );

  server.registerTool(
    "count",
    { description: "Counts to three, aloud, and waits until it may end.", inputSchema: Ticket },
    async ({ ticket }, extra) => {
      for (const done of [1, 2, 3]) {
        await report(extra, done, 3, `${done} of 3`);
      }
      await tickets.count(ticket);
      return text("counted");
    },
  );

  server.registerTool(
    "proceed",
    { description: "Lets a call of `count` end.", inputSchema: Ticket },
    async ({ ticket }) => {
      tickets.proceed(ticket);
      return text("proceeding");
    },
  );

  server.registerTool(
    "slow",
    { description: "Works until it is cancelled.", inputSchema: Ticket },
    async ({ ticket }, extra) => {
      await report(extra, 1);
      return await tickets.work(ticket, extra.signal);
    },
  );

  server.registerTool(
    "was_cancelled",
    { description: "Tells what became of a call of `slow`.", inputSchema: Ticket },
    async ({ ticket }) => text(await tickets.wasCancelled(ticket)),
  );

  server.registerTool("fail", { description: "Fails." }, async () => {
    throw new Error("out of paper");
  });

  server.registerTool("change", { description: "Says that there are other tools now." }, async () => {
    server.sendToolListChanged();
    return text("changed");
  });

  server.registerPrompt(
    "brief",
    { description: "Asks for a brief.", argsSchema: { topic: z.string() } },
    async ({ topic }) => ({
      messages: [{ role: "user", content: { type: "text", text: `Write a brief about ${topic}.` } }],
    }),
  );

  server.registerResource("note", "mem://note", { mimeType: "text/plain" }, async (uri) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: "A note." }],
  }));

  server.registerResource(
    "greeting",
    new ResourceTemplate("mem://greeting/{name}", { list: undefined }),
    { mimeType: "text/plain" },
    async (uri, { name }) => ({
      contents: [{ uri: uri.href, mimeType: "text/plain", text: `Hello, ${name}!` }],
    }),
  );

  return server;
}

if (overStdio) {
  await build().connect(new StdioServerTransport());
} else {
  const serve = sessions(StreamableHTTPServerTransport, build, isInitializeRequest);
  listen(async (request, response) => serve(request, response, await bodyOf(request)));
}
