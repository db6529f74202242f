/**
 * The hooks of the published packages, for the compiler: both hand on the one of the Agents SDK. The packages
 * themselves stand in bench/peers, where only the tests that run them need them installed.
 */
declare module "@cloudflare/ai-chat/react" {
  export { useAgentChat } from "agents/chat/react";
}

declare module "@cloudflare/think/react" {
  export { useAgentChat } from "agents/chat/react";
}
