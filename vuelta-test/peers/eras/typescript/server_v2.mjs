// Serves the fixture of the eras with the TypeScript SDK 2; see `serving.mjs` for how.

import {
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
  toWebRequest,
} from "@modelcontextprotocol/node";
import {
  McpServer,
  ResourceTemplate,
  createMcpHandler,
  inputRequired,
  inputResponse,
  isInitializeRequest,
  isLegacyRequest,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

import { bodyOf, listen, overStdio, sessions, text, tickets } from "./serving.mjs";

const Name = z.object({ name: z.string() });
const Ticket = z.object({ ticket: z.string() });

function build({ era }) {
  const server = new McpServer({ name: "eras", version: "1.0.0" });

  const report = (ctx, progress, total, message) => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    const params = { progressToken, progress, total, message };
    return ctx.mcpReq.notify({ method: "notifications/progress", params });
  };

  server.registerTool(
    "add",
    {
      description: "Adds two numbers.",
      inputSchema: z.object({ a: z.int(), b: z.int() }),
      outputSchema: z.object({ sum: z.int() }),
    },
    async ({ a, b }) => ({ ...text(`${a + b}`), structuredContent: { sum: a + b } }),
  );

  server.registerTool(
    "greet",
    {
      description: "Asks for a name, and greets who has it.",
      inputSchema: z.object({ whom: z.enum(["guest", "ghost"]) }),
    },
    async ({ whom }, ctx) => {
      const answer = inputResponse(ctx.mcpReq.inputResponses, "name");
      if (answer.kind !== "elicit") {
        const message = `What is the name of the ${whom}?`;
        const name = inputRequired.elicit({ message, requestedSchema: Name });
        return inputRequired({ inputRequests: { name } });
      }
      return answer.action === "accept"
        ? text(`Hello, ${Name.parse(answer.content).name}!`)
        : text(`Nobody to greet: ${answer.action}.`);
    },
  );

  server.registerTool(
    "count",
    { description: "Counts to three, aloud, and waits until it may end.", inputSchema: Ticket },
    async ({ ticket }, ctx) => {
      for (const done of [1, 2, 3]) {
        await report(ctx, done, 3, `${done} of 3`);
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
    async ({ ticket }, ctx) => {
      await report(ctx, 1);
      return await tickets.work(ticket, ctx.mcpReq.signal);
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
    // Over HTTP each request of 2026-07-28 has a server of its own.
    if (era === "modern" && !overStdio) {
      modern.notify.toolsChanged();
    } else {
      server.sendToolListChanged();
    }
    return text("changed");
  });

  server.registerPrompt(
    "brief",
    { description: "Asks for a brief.", argsSchema: z.object({ topic: z.string() }) },
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

const modern = createMcpHandler(build, { legacy: "reject" });

if (overStdio) {
  serveStdio(build);
} else {
  const ofModern = toNodeHandler(modern);
  const ofLegacy = sessions(
    NodeStreamableHTTPServerTransport,
    () => build({ era: "legacy" }),
    isInitializeRequest,
  );
  listen(async (request, response) => {
    const body = await bodyOf(request);
    const legacy = await isLegacyRequest(await toWebRequest(request, body), body);
    await (legacy ? ofLegacy : ofModern)(request, response, body);
  });
}
