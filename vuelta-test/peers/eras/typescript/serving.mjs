// What both TypeScript servers of the eras share: how they are served, and whom they let wait.
//
//     server_vN.mjs            over HTTP: one line, `listening on URL`, once requests are served
//     server_vN.mjs --stdio    over standard streams
//
// The server ends at the end of standard input, and so never outlives who started it.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";

// How long `was_cancelled` waits until it says that a call still runs.
const PATIENCE_MILLISECONDS = 5_000;

export const overStdio = process.argv.includes("--stdio");

/** Calls that wait, by the ticket that each was given. */
class Tickets {
  #counts = new Map();
  #ends = new Map();

  #of(map, ticket) {
    if (!map.has(ticket)) {
      map.set(ticket, Promise.withResolvers());
    }
    return map.get(ticket);
  }

  /** Waits until the count may go on. */
  count(ticket) {
    return this.#of(this.#counts, ticket).promise;
  }

  proceed(ticket) {
    this.#of(this.#counts, ticket).resolve();
  }

  /** Works until the call is cancelled. */
  work(ticket, signal) {
    const end = this.#of(this.#ends, ticket);
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        end.resolve("cancelled");
        reject(new Error("cancelled"));
      });
    });
  }

  async wasCancelled(ticket) {
    if (!this.#ends.has(ticket)) {
      return "unknown";
    }
    let timer;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MILLISECONDS, "still running");
    });
    const found = await Promise.race([this.#ends.get(ticket).promise, late]);
    clearTimeout(timer);
    return found;
  }
}

export const tickets = new Tickets();

/** A result of a tool that is one text. */
export function text(value) {
  return { content: [{ type: "text", text: value }] };
}

/** Listens on a free port of this machine until standard input ends. */
export function listen(handle) {
  const server = createServer((request, response) => {
    handle(request, response).catch((error) => {
      console.error(error);
      response.destroy();
    });
  });
  server.listen(0, "127.0.0.1", () => {
    console.log(`listening on http://127.0.0.1:${server.address().port}/mcp`);
  });
  process.stdin.resume();
  process.stdin.on("end", () => process.exit(0));
}

/** Serves each session by a server of its own; `Transport` is the SDK's. */
export function sessions(Transport, build, isInitialize) {
  const open = new Map();
  return async (request, response, body) => {
    const id = request.headers["mcp-session-id"];
    let transport = open.get(id);
    if (!transport && id === undefined && isInitialize(body)) {
      transport = new Transport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (fresh) => open.set(fresh, transport),
      });
      transport.onclose = () => open.delete(transport.sessionId);
      await build().connect(transport);
    }
    if (transport) {
      await transport.handleRequest(request, response, body);
      return;
    }
    const error = { code: -32001, message: "Session not found" };
    response.writeHead(id === undefined ? 400 : 404, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
  };
}

/** Reads the JSON of a request; other methods than POST have none. */
export async function bodyOf(request) {
  if (request.method !== "POST") {
    return undefined;
  }
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) {
    body += chunk;
  }
  return JSON.parse(body);
}
