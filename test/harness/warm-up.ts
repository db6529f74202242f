/**
 * Set-up of every test file in workerd. The first request of a run loads the
 * Worker's modules, which takes seconds; it is paid for before any test's clock
 * starts. What the code under test logs is shown for tests that fail only:
 * faults are what many tests are about.
 */
import { exports } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach } from "vitest";

const log = { error: console.error, warn: console.warn };
const lines: unknown[][] = [];

beforeAll(async () => {
  const worker = exports as unknown as { default: Fetcher };
  await worker.default.fetch("http://test.local/warm-up");
});

beforeEach(() => {
  lines.length = 0;
  console.error = (...values: unknown[]) => void lines.push(values);
  console.warn = (...values: unknown[]) => void lines.push(values);
});

afterEach(({ task }) => {
  Object.assign(console, log);
  if (task.result?.state === "fail") for (const values of lines.slice(-20)) log.error(...values);
});
