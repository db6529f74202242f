import type { ChatView } from "troupe/client";

type ChatError = Pick<NonNullable<ChatView["error"]>, "code" | "retryable">;
type Advice = Readonly<Partial<Record<ChatError["code"], string>>>;

const advice: Advice = {
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

/** The same for errors that come again however often one tries. */
const lastingAdvice: Advice = {
  model_error: "Trying again does not help. The server's log says more.",
  internal: "Something broke on the server. Its log says more.",
};

/** What a person can do about an error; null where the error itself says enough. */
export function adviceFor({ code, retryable }: ChatError): string | null {
  return (retryable ? undefined : lastingAdvice[code]) ?? advice[code] ?? null;
}
