import type { ChatView } from "troupe/client";

type Code = NonNullable<ChatView["error"]>["code"];

/** What a person can do about an error, by its code; null where the error itself says enough. */
const advice: Readonly<Partial<Record<Code, string>>> = {
  rate_limited: "The provider takes no more requests for now. Wait a minute, then try again.",
  context_overflow: "This conversation has become too long for the model. Start a new one, or clear this one.",
  model_error: "This is usually over soon. Try again; if it goes on, look at the server's log.",
  no_model: "No model can be used. Set the variables that the README names, and start the server again.",
  timeout: "The model went silent. Try again.",
  limit: "The answer was stopped at its limit. Ask for a shorter one, or in parts.",
  interrupted: "The server was restarted in the middle. What had been said is kept; try again for the whole.",
  too_large: "Send fewer or smaller files.",
  unauthorized: "Sign in, then connect again.",
  forbidden: "You may not do this here.",
  internal: "Something broke on the server. Try again; its log says more.",
};

export function adviceFor(code: Code): string | null {
  return advice[code] ?? null;
}
