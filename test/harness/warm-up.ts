/** The first request of a run loads the Worker's modules, which takes seconds; pay for it before any test's clock starts. */
import { exports } from "cloudflare:workers";
import { beforeAll } from "vitest";

beforeAll(async () => {
  const worker = exports as unknown as { default: Fetcher };
  await worker.default.fetch("http://test.local/warm-up");
});
