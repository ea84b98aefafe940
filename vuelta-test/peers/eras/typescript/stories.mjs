// The stories of the eras, told once for every client that is written in JavaScript.
//
// A client is driven through an adapter, which `client_v1.mjs` and `client_v2.mjs` bring. Every
// story prints one line, `ok NAME` or `FAIL NAME: reason`, and all of them share one connection.

import { inspect, isDeepStrictEqual, parseArgs } from "node:util";

const TIMEOUT_MILLISECONDS = 15_000;

/** Says which observation differs from the fixture. */
class Different extends Error {}

function expect(what, found, wanted) {
  if (!isDeepStrictEqual(found, wanted)) {
    throw new Different(`${what}: found ${show(found)}, expected ${show(wanted)}`);
  }
}

/** Checks a result of a tool that is one text, and no error. */
function expectText(result, wanted) {
  expect("isError", result.isError ?? false, false);
  expect("content", result.content.map((block) => block.text), [wanted]);
}

function show(value) {
  return inspect(value, { breakLength: Infinity });
}

/** Gives a name to a guest, and none to a ghost. */
export class User {
  asked = [];

  /** Takes the params of a question and returns the answer. */
  answer(question) {
    this.asked.push(question);
    return question.message === "What is the name of the guest?"
      ? { action: "accept", content: { name: "Ada" } }
      : { action: "decline" };
  }
}

const STORIES = {
  async connect(peer, era) {
    expect("revision", peer.revision(), era === "modern" ? "2026-07-28" : "2025-11-25");
    expect("name", peer.client.getServerVersion().name, "eras");
    for (const kind of ["tools", "prompts", "resources"]) {
      expect(`capability ${kind}`, typeof peer.client.getServerCapabilities()[kind], "object");
    }
  },

  async lists({ client }) {
    const { tools } = await client.listTools();
    const names = tools.map((tool) => tool.name);
    const wanted = ["add", "greet", "count", "proceed", "slow", "was_cancelled", "fail", "change"];
    expect("tools that are missing", wanted.filter((name) => !names.includes(name)), []);
    const { properties } = tools.find((tool) => tool.name === "add").inputSchema;
    const types = Object.entries(properties).map(([name, { type }]) => [name, type]);
    expect("arguments", Object.fromEntries(types), { a: "integer", b: "integer" });
    const { prompts } = await client.listPrompts();
    expect("prompts", prompts.map((prompt) => prompt.name), ["brief"]);
    const { resources } = await client.listResources();
    expect("resources", resources.map((resource) => resource.uri), ["mem://note"]);
    const { resourceTemplates } = await client.listResourceTemplates();
    const uris = resourceTemplates.map((template) => template.uriTemplate);
    expect("templates", uris, ["mem://greeting/{name}"]);
  },

  async call(peer) {
    const result = await peer.call("add", { a: 40, b: 2 });
    expect("isError", result.isError ?? false, false);
    expect("structuredContent", result.structuredContent, { sum: 42 });
  },

  async ask(peer) {
    peer.user.asked = [];
    expectText(await peer.call("greet", { whom: "guest" }), "Hello, Ada!");
    const messages = peer.user.asked.map((question) => question.message);
    expect("questions", messages, ["What is the name of the guest?"]);
    const schema = peer.user.asked[0].requestedSchema;
    expect("type of name", schema.properties.name.type, "string");
    expect("required", schema.required, ["name"]);
  },

  async decline(peer) {
    expectText(await peer.call("greet", { whom: "ghost" }), "Nobody to greet: decline.");
  },

  async prompt({ client }) {
    const { messages } = await client.getPrompt({ name: "brief", arguments: { topic: "birds" } });
    const found = messages.map(({ role, content }) => [role, content.text]);
    expect("messages", found, [["user", "Write a brief about birds."]]);
  },

  async resource({ client }) {
    for (const [uri, text] of [
      ["mem://note", "A note."],
      ["mem://greeting/Bo", "Hello, Bo!"],
    ]) {
      const { contents } = await client.readResource({ uri });
      expect("contents", contents.map((item) => [item.uri, item.text]), [[uri, text]]);
    }
  },

  // The call ends once it is told that its last update has come.
  async progress(peer) {
    const ticket = `typescript ${process.pid}`;
    const seen = [];
    const complete = Promise.withResolvers();
    const onprogress = ({ progress, total, message }) => {
      seen.push([progress, total, message]);
      if (progress === total) {
        complete.resolve();
      }
    };
    const counting = peer.call("count", { ticket }, { onprogress });
    await Promise.race([complete.promise, counting]);
    expect("progress", seen, [
      [1, 3, "1 of 3"],
      [2, 3, "2 of 3"],
      [3, 3, "3 of 3"],
    ]);
    expectText(await peer.call("proceed", { ticket }), "proceeding");
    expectText(await counting, "counted");
  },

  // The call is given up once the server says that it works on it.
  async cancel(peer) {
    const ticket = `typescript ${process.pid}`;
    const abandon = new AbortController();
    const started = Promise.withResolvers();
    const call = peer.call("slow", { ticket }, {
      signal: abandon.signal,
      onprogress: () => started.resolve("started"),
    });
    const ended = call.then(() => "ended", (error) => `failed: ${error.message}`);
    expect("the slow tool", await Promise.race([started.promise, ended]), "started");
    abandon.abort("no longer wanted");
    await ended;
    expectText(await peer.call("was_cancelled", { ticket }), "cancelled");
    expectText(await peer.call("was_cancelled", { ticket: "nobody's" }), "unknown");
  },

  async listen(peer) {
    const { heard, close } = await peer.listen();
    expectText(await peer.call("change", {}), "changed");
    await heard;
    await close();
  },

  async unknown_tool(peer) {
    try {
      const result = await peer.call("nope", {});
      throw new Different(`expected an error, found ${show(result)}`);
    } catch (error) {
      if (error instanceof Different) {
        throw error;
      }
      expect("error code", error.code, -32602);
    }
  },

  async failing_tool(peer) {
    const result = await peer.call("fail", {});
    expect("isError", result.isError, true);
    expect("out of paper", result.content[0].text.includes("out of paper"), true);
  },
};

/** Waits for a story, no longer than it may take. */
async function inTime(story) {
  const late = Promise.withResolvers();
  const timer = setTimeout(
    () => late.reject(new Different(`not done after ${TIMEOUT_MILLISECONDS} ms`)),
    TIMEOUT_MILLISECONDS,
  );
  try {
    await Promise.race([story, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function report(name, error) {
  const what = error instanceof Different ? error.message : `${error?.stack ?? error}`;
  console.log(`FAIL ${name}: ${what.replaceAll(/\s+/g, " ")}`);
}

/** Reads the command line and tells every story; `connect` takes a target and an era. */
export async function main(connect) {
  const { values, positionals } = parseArgs({
    options: { era: { type: "string" }, stdio: { type: "boolean" } },
    allowPositionals: true,
  });
  let peer;
  try {
    peer = await connect(values.stdio ? positionals : positionals[0], values.era);
  } catch (error) {
    // Nothing can be told without a connection.
    Object.keys(STORIES).forEach((name) => report(name, error));
    process.exit(1);
  }
  let passed = true;
  for (const [name, story] of Object.entries(STORIES)) {
    try {
      await inTime(story(peer, values.era));
      console.log(`ok ${name}`);
    } catch (error) {
      passed = false;
      report(name, error);
    }
  }
  await peer.client.close();
  // What a story has left behind is nobody's.
  process.exit(passed ? 0 : 1);
}
