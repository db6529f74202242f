/** Where things stand and which way imports go: what lint cannot say. */
import { describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { exists, files, importsOf, isTest, sourceFiles, type ImportEdge } from "./sources.ts";

const entryPoints = Object.values(manifest.exports).map((path) => path.replace("./", ""));

/** Files besides actor shells and `shared/platform` that may import `cloudflare:workers`: entrypoints of the Worker. */
const entrypointFiles = new Set([
  "src/actors/extension-host/host-bridge.ts",
  "src/actors/extension-host/network-gate.ts",
  "app/server.ts",
]);

/** The folder of an actor file, such as `stream-buffer`. */
const actorOf = (path: string) => /^src\/actors\/([^/]+)\//.exec(path)?.[1];
/** An actor class stands in the file named as its folder. */
const isShell = (path: string) => path === `src/actors/${actorOf(path)}/${actorOf(path)}.ts`;
const isIn = (path: string, folder: string) => path.startsWith(`${folder}/`);

const isOfWorkers = (path: string) => isShell(path) || isIn(path, "src/shared/platform") || entrypointFiles.has(path);

/** Whether a source file may import another file of ours. */
function mayImport({ from, to, isTypeOnly }: ImportEdge): boolean {
  if (to === null) return true;
  if (isIn(from, "app")) return isIn(to, "app") || entryPoints.includes(to);
  if (!isIn(to, "src")) return false;
  if (from === "src/index.ts") return !isIn(to, "src/client");
  if (isIn(from, "src/shared")) return isIn(to, "src/shared");
  const isShared = isIn(to, "src/shared");
  if (isIn(from, "src/client")) return isIn(to, "src/client") || (isShared && !isIn(to, "src/shared/platform"));
  if (isShared) return true;
  const isContract = actorOf(to) !== undefined && to.endsWith("/contract.ts") && isTypeOnly;
  const isStreamFunction = actorOf(to) === "stream-buffer" && !isShell(to);
  if (isIn(from, "src/tools")) return isIn(to, "src/tools") || isContract;
  if (isIn(from, "src/chat")) return isIn(to, "src/chat") || isContract || isStreamFunction;
  const actor = actorOf(from);
  if (actor === undefined) return false;
  if (actorOf(to) === actor) return !isShell(to);
  if (isContract) return true;
  return actor === "conversation" && (isIn(to, "src/chat") || to === "src/actors/stream-buffer/frames.ts");
}

const code = [...sourceFiles(), ...files("app/**/*.{ts,tsx}").filter((path) => !isTest(path))];
const edges = code.flatMap(importsOf);

describe("the layout", () => {
  it("has a file behind every entry point of the package", () => {
    expect(entryPoints.filter((path) => !exists(path))).toEqual([]);
  });

  it("lets imports go one way", () => {
    const wrong = edges.filter((edge) => !mayImport(edge)).map(({ from, specifier }) => `${from} imports ${specifier}`);
    expect(wrong).toEqual([]);
  });

  it("imports files that exist, with their ending", () => {
    const missing = edges.filter(({ to }) => to !== null && !exists(to.replace(/\?.*$/, "")));
    expect(missing.map(({ from, specifier }) => `${from} imports ${specifier}`)).toEqual([]);
  });

  it("keeps cloudflare:workers to actor shells, entrypoints and shared/platform", () => {
    const users = edges.filter(({ specifier }) => specifier.startsWith("cloudflare:")).map(({ from }) => from);
    expect(users.filter((path) => !isOfWorkers(path))).toEqual([]);
  });

  it("builds on no chat layer but its own", () => {
    const others = /^(agents\/(chat|sessions|streams|context)|@cloudflare\/(think|ai-chat|shell))/;
    expect(edges.filter(({ specifier }) => others.test(specifier))).toEqual([]);
  });
});
