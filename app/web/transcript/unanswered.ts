import type { UIMessage } from "ai";

/**
 * The ids of questions that got no answer and get none: another message of a
 * person follows at once, and the conversation is past them. While it is busy
 * that is only certain of those before the newest answer, for turns run in order.
 */
export function unansweredIds(messages: readonly UIMessage[], isBusy: boolean): ReadonlySet<string> {
  const end = isBusy ? messages.findLastIndex(({ role }) => role === "assistant") : messages.length;
  const questions = messages.filter(({ role }, at) => at < end && role === "user" && messages[at + 1]?.role === "user");
  return new Set(questions.map(({ id }) => id));
}
