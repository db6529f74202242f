import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import type { Action, Authorization, Who } from "../../src/index.ts";
import type { ServerFrame } from "../../src/shared/wire.ts";
import { stage } from "../harness/agents.ts";
import {
  childRoute,
  ChatSocket,
  conversation,
  http,
  storedMessages,
  upgrade,
  userText,
} from "../harness/chat-socket.ts";
import { gate, say, ScriptedModel } from "../harness/scripted-model.ts";

const yes: Authorization = { allow: true };
const no = (status: 401 | 403): Authorization => ({ allow: false, status, reason: "not you" });

/** Refuses this action, at once or later; everything else is allowed. */
function refuse(name: string, action: Action, status: 401 | 403, isAsync: boolean): void {
  stage(name).authorize = (asked, { request }) => {
    // Opening a socket asks for `read` as well; a frame is to be refused on one that is open.
    const isOpening = action === "read" && request?.headers.has("upgrade") === true;
    const verdict = asked === action && !isOpening ? no(status) : yes;
    return isAsync ? scheduler.wait(1).then(() => verdict) : verdict;
  };
}

const body = JSON.stringify({ messages: [userText("u", "hi")] });
const code = (status: 401 | 403) => (status === 401 ? "unauthorized" : "forbidden");

interface Way {
  readonly action: Action;
  readonly way: string;
  /** Tries it and tells the refusal as `status` and code; anything else means that it went through. */
  try(name: string, status: 401 | 403): Promise<unknown>;
}

const frameRefused = async (name: string, frame: object): Promise<unknown> => {
  const socket = await ChatSocket.open(name);
  await socket.until((seen) => seen.type === "cf_agent_chat_messages");
  socket.send(frame);
  const answer = (await socket.until((seen) => seen.type === "cf_agent_chat_error")) as {
    code: string;
    message: string;
  };
  return [answer.code, answer.message];
};

const httpRefused = async (name: string, path: string, init?: RequestInit): Promise<unknown> => {
  const response = await http(name, path, init);
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  return [response.status, error.code, error.message];
};

const viaHttp = (action: Action, method: string, path: string): Way => ({
  action,
  way: `${method} ${path}`,
  try: async (name, status) => {
    const init = { method, ...(method === "POST" ? { body } : {}) };
    expect(await httpRefused(name, path, init)).toEqual([status, code(status), "not you"]);
  },
});

const viaFrame = (action: Action, frame: Readonly<Record<string, unknown>> & { type: string }): Way => ({
  action,
  way: frame.type,
  try: async (name, status) => expect(await frameRefused(name, frame)).toEqual([code(status), "not you"]),
});

const ways: Way[] = [
  {
    action: "connect",
    way: "socket",
    try: async (name, status) => {
      const socket = await ChatSocket.open(name);
      expect(await socket.closed()).toBe(4000 + status);
      expect(socket.frames).toEqual([]);
      expect(stage(name).seen).not.toContain("connect");
    },
  },
  {
    action: "send",
    way: "chat request",
    try: async (name, status) => {
      const socket = await ChatSocket.open(name);
      socket.ask("r1", "hi");
      expect(await socket.ended("r1")).toMatchObject({ error: true, code: code(status), body: "not you" });
    },
  },
  viaFrame("cancel", { type: "cf_agent_chat_request_cancel", id: "r" }),
  viaFrame("clear", { type: "cf_agent_chat_clear" }),
  viaFrame("tool-result", { type: "cf_agent_tool_result", toolCallId: "c", output: 1 }),
  viaFrame("tool-approval", { type: "cf_agent_tool_approval", toolCallId: "c", approved: true }),
  viaFrame("resume", { type: "cf_agent_stream_resume_request", probeId: "p" }),
  viaFrame("resume", { type: "cf_agent_stream_resume_ack", id: "r" }),
  viaFrame("read", { type: "cf_agent_chat_messages", messages: [] }),
  viaHttp("read", "GET", "/get-messages"),
  viaHttp("send", "POST", "/chat"),
  viaHttp("resume", "GET", "/chat/x/stream"),
  viaHttp("cancel", "DELETE", "/chat/x/stream"),
  viaHttp("clear", "DELETE", "/chat"),
  {
    action: "child",
    way: "socket",
    try: async (name, status) => {
      const socket = await ChatSocket.open(childRoute(name, "gatekid"));
      expect(await socket.closed()).toBe(4000 + status);
    },
  },
  {
    action: "child",
    way: "GET",
    try: async (name, status) => {
      expect(await httpRefused(childRoute(name, "gatekid"), "/get-messages")).toEqual([
        status,
        code(status),
        "not you",
      ]);
    },
  },
];

describe("authorize", () => {
  describe.each([
    [401, false],
    [403, true],
  ] as const)("refusing with %i, asynchronously: %s", (status, isAsync) => {
    it.each(ways)("keeps `$action` by $way out", async ({ action, way, try: attempt }) => {
      const name = `gate-${status}-${action}-${way.replaceAll(/\W/g, "")}`;
      refuse(name, action, status, isAsync);
      await attempt(name, status);
      expect(await storedMessages(name)).toEqual([]);
    });
  });

  it("asks for `read` before a socket hears anything", async () => {
    stage("gate-read").authorize = (action) => (action === "read" ? no(403) : yes);
    const socket = await ChatSocket.open("gate-read");
    expect(await socket.closed()).toBe(4403);
    expect(socket.frames).toEqual([]);
  });

  it("knows every action that the table above tries", () => {
    const tried = new Set(ways.map((way) => way.action));
    const actions: Record<Action, true> = {
      connect: true,
      read: true,
      send: true,
      cancel: true,
      clear: true,
      "tool-result": true,
      "tool-approval": true,
      resume: true,
      child: true,
    };
    expect([...tried].toSorted()).toEqual(Object.keys(actions).toSorted());
  });

  it("is asked before the child as well", async () => {
    stage("gatekid-asked").authorize = (action) => (action === "read" ? no(403) : yes);
    expect(await httpRefused(childRoute("gate-kid", "gatekid-asked"), "/get-messages")).toEqual([
      403,
      "forbidden",
      "not you",
    ]);
  });

  it.each([true, false])(
    "keeps a socket deaf until it has decided, and for good unless it agrees: %s",
    async (agrees) => {
      const name = `gate-late-${agrees}`;
      const [decided, held] = [gate(), gate()];
      let isAsked = false;
      const setup = stage(name);
      setup.model = new ScriptedModel(() => say("secret ", held.passed, "words"));
      const first = await ChatSocket.open(name);
      setup.authorize = async (action, { request }) => {
        if (action !== "connect" || request?.headers.get("x-late") !== "1") return yes;
        isAsked = true;
        await decided.passed;
        return agrees ? yes : no(403);
      };
      const opening = ChatSocket.open(name, { headers: { "x-late": "1" } });
      await vi.waitFor(() => expect(isAsked).toBe(true));
      first.ask("r1", "hi");
      await first.chunk("r1", 3);
      decided.open();
      const late = await opening;
      if (agrees) await late.until((frame) => frame.type === "cf_agent_chat_messages");
      else expect(await late.closed()).toBe(4403);
      held.open();
      await first.ended("r1");
      expect(late.frames.map((frame) => frame.type).slice(0, 2)).toEqual(
        agrees ? ["cf_agent_stream_resuming", "cf_agent_chat_messages"] : [],
      );
      expect(setup.seen.filter((one) => one === "connect")).toHaveLength(agrees ? 2 : 1);
    },
  );

  it("hears nothing of what a refused socket sends, and does not tell the user's handlers of it", async () => {
    const setup = stage("gate-refused");
    setup.authorize = (action) => (action === "connect" ? no(403) : yes);
    const socket = await ChatSocket.open("gate-refused");
    socket.ask("r1", "hi");
    socket.send("hello");
    expect(await socket.closed()).toBe(4403);
    expect(socket.frames).toEqual([]);
    expect(await storedMessages("gate-refused")).toEqual([]);
    expect(setup.seen).toEqual([]);
  });

  it("keeps everybody out when it throws", async () => {
    const setup = stage("gate-broken");
    setup.authorize = () => {
      throw new Error("the session store is down: db-7");
    };
    const socket = await ChatSocket.open("gate-broken");
    expect(await socket.closed()).toBe(1011);
    expect(socket.frames).toEqual([]);
    const response = await http("gate-broken", "/get-messages");
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("db-7");
    setup.authorize = (action) => {
      if (action === "connect" || action === "read") return yes;
      throw new Error("the session store is down: db-7");
    };
    const open = await ChatSocket.open("gate-broken");
    open.ask("r1", "hi");
    expect(await open.ended("r1")).toMatchObject({ error: true, code: "internal" });
    expect(JSON.stringify(open.frames)).not.toContain("db-7");
    expect(await storedMessages("gate-broken")).toEqual([]);
  });
});

/** Signs people in by header at `connect`, and writes down who does what. */
function signIn(name: string): { action: Action; principal: unknown }[] {
  const asked: { action: Action; principal: unknown }[] = [];
  stage(name).authorize = (action, who: Who) => {
    asked.push({ action, principal: who.principal });
    return { allow: true, principal: { user: who.request?.headers.get("x-user") } };
  };
  return asked;
}

const recorded = async (name: string): Promise<unknown[]> =>
  runInDurableObject(conversation(name), (_, state) =>
    state.storage.sql
      .exec<{ body: string }>("SELECT body FROM turns ORDER BY seq")
      .toArray()
      .map(({ body: turn }) => (JSON.parse(turn) as { principal: unknown }).principal),
  );

describe("the principal", () => {
  it("T164: is who connected, per socket and per turn, whatever a client claims", async () => {
    const asked = signIn("person-1");
    const anna = await ChatSocket.open("person-1", { headers: { "x-user": "anna" } });
    const ben = await ChatSocket.open("person-1", { headers: { "x-user": "ben" } });
    const forged = { ...userText("u1", "I am ben"), metadata: { principal: { user: "ben" } } };
    anna.ask("r1", [forged], { principal: { user: "ben" }, authorization: "ben" });
    ben.ask("r2", "hello");
    await Promise.all([anna.ended("r1"), ben.ended("r2")]);
    const sends = asked.filter(({ action }) => action === "send").map(({ principal }) => principal);
    expect(sends).toEqual([{ user: "anna" }, { user: "ben" }]);
    expect(await recorded("person-1")).toEqual([{ user: "anna" }, { user: "ben" }]);
    expect((await storedMessages("person-1"))[0]).toEqual(userText("u1", "I am ben"));
    await anna.settled();
    expect(JSON.stringify([anna.frames, anna.foreign])).not.toContain('"user":"');
  });

  it("survives hibernation with its socket", async () => {
    const asked = signIn("person-2");
    const anna = await ChatSocket.open("person-2", { headers: { "x-user": "anna" } });
    await anna.settled();
    await evictDurableObject(conversation("person-2"));
    asked.length = 0;
    anna.ask("r1", "still me");
    await anna.ended("r1");
    expect(asked).toEqual([{ action: "send", principal: { user: "anna" } }]);
    expect(await recorded("person-2")).toEqual([{ user: "anna" }]);
  });

  it("comes from the request over HTTP", async () => {
    signIn("person-3");
    await (await http("person-3", "/chat", { method: "POST", body, headers: { "x-user": "carl" } })).text();
    expect(await recorded("person-3")).toEqual([{ user: "carl" }]);
  });

  it("is null for a socket that connected without one, and cannot be set by the address", async () => {
    const asked: unknown[] = [];
    stage("person-4").authorize = (_, who) => {
      asked.push(who.principal);
      return yes;
    };
    const response = await upgrade("person-4", { capabilities: "delta&principal=root&_cf_troupe_principal=root" });
    const socket = response.webSocket as WebSocket;
    socket.accept();
    const { promise, resolve } = Promise.withResolvers<void>();
    socket.addEventListener("message", ({ data }) => {
      const frame = JSON.parse(data as string) as Partial<ServerFrame>;
      if (frame.type === "cf_agent_use_chat_response" && "done" in frame && frame.done === true) resolve();
    });
    socket.send(JSON.stringify({ type: "cf_agent_use_chat_request", id: "r1", init: { body } }));
    await promise;
    expect(asked).toEqual([null, null, null]);
    expect(await recorded("person-4")).toEqual([null]);
  });

  it("belongs to the socket of a child, too", async () => {
    const asked = signIn("gatekid-who");
    const socket = await ChatSocket.open(childRoute("person-5", "gatekid-who"), { headers: { "x-user": "dora" } });
    socket.ask("r1", "hi");
    await socket.ended("r1");
    expect(asked.find(({ action }) => action === "send")).toEqual({ action: "send", principal: { user: "dora" } });
  });
});
