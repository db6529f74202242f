/** What `wrangler types` would generate for the Worker of the examples. */
interface Env {
  Assistant: DurableObjectNamespace;
  StreamBuffer: DurableObjectNamespace;
  AI: Ai;
  ASSETS: Fetcher;
  OPENAI_API_KEY: string;
  ANTHROPIC_API_KEY: string;
}
