/** Random lists of chunks as a model's answer may send them: every chunk type, parts interleaved, ids repeating per step. */
import type { UIMessageChunk } from "ai";
import type { Random } from "../harness/random.ts";

type Thread = UIMessageChunk[];
/** A call the segment leaves waiting, for the next one to settle. */
interface OpenCall {
  readonly toolCallId: string;
  readonly approvalId: string | null;
}
export interface Segment {
  readonly chunks: UIMessageChunk[];
}

const WORDS = ["a", "bc ", "déf", "😀", "\n", "", "xyzzy "] as const;

/** The segments of one answer: the later ones settle what the earlier ones left waiting. */
export function randomSegments(random: Random, messageId: string): Segment[] {
  const ids = counter();
  let open: OpenCall[] = [];
  return Array.from({ length: 1 + random.below(3) }, () => {
    const chunks: UIMessageChunk[] = [
      { type: "start", messageId, ...maybe(random, { messageMetadata: metadata(random) }) },
    ];
    for (const call of open) chunks.push(...settleLater(random, call));
    open = [];
    const steps = 1 + random.below(3);
    for (let step = 1; step <= steps; step++) chunks.push(...randomStep(random, ids, step === steps ? open : null));
    chunks.push({ type: "finish", ...maybe(random, { messageMetadata: metadata(random) }) });
    return { chunks };
  });
}

function randomStep(random: Random, ids: () => string, open: OpenCall[] | null): UIMessageChunk[] {
  const chunks: UIMessageChunk[] = [{ type: "start-step" }];
  if (random.chance(0.15)) chunks.push(...interleave(random, threads(random, ids, null)), { type: "reset-step" });
  chunks.push(...interleave(random, threads(random, ids, open)), { type: "finish-step" });
  return chunks;
}

function threads(random: Random, ids: () => string, open: OpenCall[] | null): Thread[] {
  return Array.from({ length: random.below(6) }, (_, index) => {
    switch (random.below(5)) {
      case 0:
        return textThread(random, "text", `t${index}`);
      case 1:
        return textThread(random, "reasoning", `t${index}`);
      case 2:
      case 3:
        return toolThread(random, ids(), open);
      default:
        return single(random);
    }
  });
}

function textThread(random: Random, kind: "text" | "reasoning", id: string): Thread {
  const deltas = Array.from({ length: random.below(6) }, (): UIMessageChunk => ({
    type: `${kind}-delta`,
    id,
    delta: random.pick(WORDS),
    ...maybe(random, provider(random), 0.1),
  }));
  return [
    { type: `${kind}-start`, id, ...maybe(random, provider(random)) },
    ...deltas,
    { type: `${kind}-end`, id, ...maybe(random, provider(random)) },
  ];
}

function toolThread(random: Random, toolCallId: string, open: OpenCall[] | null): Thread {
  const toolName = random.pick(["read", "write-file", "search"]);
  const dynamic = random.chance(0.3) ? { dynamic: true } : {};
  const shared = {
    toolCallId,
    toolName,
    ...dynamic,
    ...maybe(random, { title: "Tool" }, 0.2),
    ...maybe(random, { toolMetadata: { a: 1 } }, 0.2),
  };
  const input = { path: random.pick(WORDS), lines: [1, -2.5, null, true], nested: { text: random.pick(WORDS) } };
  const streamed = random.chance(0.7) ? inputDeltas(random, toolCallId, JSON.stringify(input)) : [];
  const start: Thread =
    streamed.length > 0
      ? [{ type: "tool-input-start", ...shared, ...maybe(random, provider(random)) }, ...streamed]
      : [];
  if (random.chance(0.1)) {
    return [
      ...start,
      { type: "tool-input-error", ...shared, input, errorText: "bad input" },
      { type: "tool-output-error", toolCallId, errorText: "not run" },
    ];
  }
  const available: UIMessageChunk = {
    type: "tool-input-available",
    ...shared,
    input,
    ...maybe(random, provider(random)),
  };
  return [
    ...start,
    available,
    ...(open !== null && random.chance(0.3) ? leaveOpen(random, toolCallId, open) : settle(random, toolCallId)),
  ];
}

function inputDeltas(random: Random, toolCallId: string, json: string): Thread {
  const deltas: Thread = [];
  for (let at = 0; at < json.length;) {
    const end = at + 1 + random.below(12);
    deltas.push({ type: "tool-input-delta", toolCallId, inputTextDelta: json.slice(at, end) });
    at = end;
  }
  return deltas;
}

function leaveOpen(random: Random, toolCallId: string, open: OpenCall[]): Thread {
  const approvalId = random.chance(0.6) ? `approval-${toolCallId}` : null;
  open.push({ toolCallId, approvalId });
  return approvalId === null
    ? []
    : [{ type: "tool-approval-request", approvalId, toolCallId, ...maybe(random, { signature: "sig" }) }];
}

function settleLater(random: Random, call: OpenCall): Thread {
  const { approvalId, toolCallId } = call;
  if (approvalId === null) return settle(random, toolCallId, false);
  const approved = random.chance(0.6);
  const response: UIMessageChunk = {
    type: "tool-approval-response",
    approvalId,
    approved,
    ...maybe(random, { reason: "because" }),
  };
  return [
    response,
    ...(approved ? settle(random, toolCallId, false) : [{ type: "tool-output-denied", toolCallId } as const]),
  ];
}

function settle(random: Random, toolCallId: string, mayAsk = true): Thread {
  const approvalId = `approval-${toolCallId}`;
  const asked: Thread =
    mayAsk && random.chance(0.2)
      ? [
          { type: "tool-approval-request", approvalId, toolCallId, isAutomatic: true, reason: "policy" },
          { type: "tool-approval-response", approvalId, approved: true },
        ]
      : [];
  const preliminary = Array.from({ length: random.below(3) }, (_, index): UIMessageChunk => ({
    type: "tool-output-available",
    toolCallId,
    output: { at: index },
    preliminary: true,
  }));
  const last: UIMessageChunk = random.chance(0.7)
    ? {
        type: "tool-output-available",
        toolCallId,
        output: { ok: [1, 2] },
        ...maybe(random, { ...provider(random), providerExecuted: true }),
      }
    : { type: "tool-output-error", toolCallId, errorText: "failed", ...maybe(random, provider(random)) };
  return [...asked, ...preliminary, last];
}

function single(random: Random): Thread {
  const id = random.pick(["d1", "d2"]);
  return [
    random.pick<UIMessageChunk>([
      { type: "source-url", sourceId: id, url: "https://example.com/", ...maybe(random, { title: "A source" }) },
      {
        type: "source-document",
        sourceId: id,
        mediaType: "text/plain",
        title: "A file",
        ...maybe(random, provider(random)),
      },
      { type: "file", url: "https://example.com/a.png", mediaType: "image/png", ...maybe(random, provider(random)) },
      { type: "reasoning-file", url: "https://example.com/b.png", mediaType: "image/png" },
      { type: "custom", kind: "vendor.block", ...maybe(random, provider(random)) },
      { type: "steering-message", id, parts: [{ type: "text", text: "and faster" }] },
      { type: "data-progress", id, data: { percent: random.below(100) } },
      { type: "data-note", data: random.pick(WORDS) },
      { type: "data-ping", data: 1, transient: true },
      { type: "message-metadata", messageMetadata: metadata(random) },
    ]),
  ];
}

function metadata(random: Random): Record<string, unknown> {
  return {
    [random.pick(["usage", "model"])]: { [random.pick(["in", "out"])]: random.below(9) },
    list: [random.below(9)],
  };
}

function provider(random: Random): { providerMetadata: Record<string, Record<string, string>> } {
  return { providerMetadata: { [random.pick(["openai", "anthropic"])]: { signature: `s${random.below(99)}` } } };
}

function maybe<T extends object>(random: Random, fields: T, probability = 0.3): Partial<T> {
  return random.chance(probability) ? fields : {};
}

function interleave(random: Random, waiting: Thread[]): UIMessageChunk[] {
  const queues = waiting.map((thread) => [...thread]).filter((thread) => thread.length > 0);
  const merged: UIMessageChunk[] = [];
  while (queues.length > 0) {
    const at = random.below(queues.length);
    // Runs of one part are the rule; switching after each chunk the exception.
    for (let run = 1 + random.below(4); run > 0; run--) merged.push(...(queues[at]?.splice(0, 1) ?? []));
    if (queues[at]?.length === 0) queues.splice(at, 1);
  }
  return merged;
}

function counter(): () => string {
  let last = 0;
  return () => `call-${++last}`;
}
