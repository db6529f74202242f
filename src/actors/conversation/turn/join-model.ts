/**
 * Joins neighbouring deltas at the earliest point: around the model itself.
 *
 * The first delta of a part passes at once; those that follow within one
 * display frame travel as one. Anything else flushes what is held, so order
 * never changes. A burst then costs frames, not tokens, in the loop, on the
 * wire, in storage and in the browser.
 */
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { type LanguageModel, type LanguageModelMiddleware, wrapLanguageModel } from "ai";
import type { Clock } from "../../../shared/clock.ts";

/** Default window in milliseconds: one frame of a display. */
export const DEFAULT_JOIN_MS = 16;
/** A joined delta is passed on when it has grown to this many characters, so that none outgrows a frame or a row. */
const MAX_JOINED_CHARS = 16_384;

type Delta = Extract<LanguageModelV4StreamPart, { type: "text-delta" | "reasoning-delta" | "tool-input-delta" }>;

/** The model, with deltas joined over `ms`; 0 and models given by name are returned as they are. */
export function joiningModel(model: LanguageModel, ms: number, clock: Clock): LanguageModel {
  if (ms <= 0 || typeof model === "string" || model.specificationVersion !== "v4") return model;
  const middleware: LanguageModelMiddleware = {
    specificationVersion: "v4",
    wrapStream: async ({ doStream }) => {
      const { stream, ...rest } = await doStream();
      return { ...rest, stream: stream.pipeThrough(joinDeltas(ms, clock)) };
    },
  };
  return wrapLanguageModel({ model, middleware });
}

/** The stream transform behind it. */
export function joinDeltas(
  ms: number,
  clock: Clock,
): TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart> {
  let held: Delta | null = null;
  let window: { readonly part: string; readonly close: () => void } | null = null;
  type Controller = TransformStreamDefaultController<LanguageModelV4StreamPart>;

  const flush = (controller: Controller): void => {
    if (held !== null) controller.enqueue(held);
    held = null;
  };
  const endWindow = (controller: Controller): void => {
    window?.close();
    window = null;
    flush(controller);
  };
  const openWindow = (controller: Controller, part: string): void => {
    const close = clock.after(ms, () => {
      window = null;
      // What was held in the window goes out, and those that follow it are joined again.
      if (held !== null && isReadable(controller)) {
        flush(controller);
        openWindow(controller, part);
      }
    });
    window = { part, close };
  };

  return new TransformStream({
    transform: (part, controller) => {
      if (!isDelta(part) || part.providerMetadata !== undefined) {
        endWindow(controller);
        controller.enqueue(part);
        return;
      }
      const key = `${part.type} ${part.id}`;
      if (window?.part !== key) {
        endWindow(controller);
        controller.enqueue(part);
        openWindow(controller, key);
        return;
      }
      held = held === null ? part : { ...held, delta: held.delta + part.delta };
      if (held.delta.length >= MAX_JOINED_CHARS) flush(controller);
    },
    flush: endWindow,
  });
}

/** False once the reader has cancelled, when `enqueue` would throw. */
function isReadable(controller: TransformStreamDefaultController<LanguageModelV4StreamPart>): boolean {
  return controller.desiredSize !== null;
}

function isDelta(part: LanguageModelV4StreamPart): part is Delta {
  return part.type === "text-delta" || part.type === "reasoning-delta" || part.type === "tool-input-delta";
}
