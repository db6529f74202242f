/**
 * A local HTTP server that stands in for the providers: it plays recordings, a
 * response for each request, and keeps what it was asked.
 *
 * The first segment of a request's path names the run, so that one server can
 * play many at a time.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Wire } from "./providers.ts";
import { closingAnswer, parseEvent, type Recording } from "./recordings.ts";

export interface Run {
  /** The first segment of the path of the run's requests. */
  readonly key: string;
  /** The base URL for the provider. */
  readonly url: string;
  /** The bodies of the requests so far, as they were sent. */
  readonly requests: readonly string[];
}

/** A point where the first response waits. */
export interface Hold {
  /** How many events are sent before. */
  readonly after: number;
  /** Called once they were sent; the rest follows when its promise resolves. */
  readonly reached: () => Promise<void>;
}

export interface ReplayServer {
  readonly url: string;
  /** Registers a run: its n-th request is answered by the n-th response, those that follow by a short closing answer. */
  play(recording: Recording, hold?: Hold): Run;
  close(): Promise<void>;
}

interface Play extends Run {
  readonly recording: Recording;
  readonly hold: Hold | undefined;
  readonly requests: string[];
}

export async function startReplayServer(): Promise<ReplayServer> {
  const plays = new Map<string, Play>();
  const server = createServer((request, response) => {
    const play = plays.get(request.url?.split("/")[1] ?? "");
    if (play) void answer(play, request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    play(recording, hold) {
      const key = `run-${plays.size + 1}`;
      const play = { key, url: `${url}/${key}`, recording, hold, requests: [] };
      plays.set(key, play);
      return play;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(play: Play, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  const isFirst = play.requests.push(body) === 1;
  const { wire, responses } = play.recording;
  const lines = responses[play.requests.length - 1] ?? closingAnswer(wire);
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const [index, line] of lines.entries()) {
    if (isFirst && play.hold?.after === index) await play.hold.reached();
    response.write(frame(wire, line));
  }
  response.end(wire === "openai-chat" ? "data: [DONE]\n\n" : undefined);
}

/** Server-sent events as each provider frames them. */
function frame(wire: Wire, line: string): string {
  const event = wire === "anthropic" ? `event: ${parseEvent(line).type}\n` : "";
  return `${event}data: ${line}\n\n`;
}
