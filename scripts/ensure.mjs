/**
 * Makes a fresh clone ready: the dependencies of the lock files, and the programs that the tests drive.
 *
 * Runs on Node 20 with nothing installed, so it imports only Node's own modules. The tools themselves want a newer
 * Node; the dependency `node` carries one, and `node_modules/.bin` comes first on their PATH.
 */
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, lstatSync, readFileSync } from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const peers = join(root, "bench/peers");
const oldestNode = 22;

/** The environment of every tool we start: the carried Node and the installed binaries before anything else. */
export function toolEnvironment() {
  const path = process.env["PATH"] ?? "";
  return { ...process.env, PATH: [join(modules, ".bin"), path].join(delimiter) };
}

/**
 * Installs what package-lock.json asks for when node_modules lacks it, then makes sure that a Node new enough runs
 * the tools. Throws with a message that says what to do.
 */
export function ensureInstalled() {
  ensureFolder(root);
  const { stdout } = spawnSync("node", ["--version"], { env: toolEnvironment(), encoding: "utf8" });
  const major = Number(/^v(\d+)/.exec(stdout ?? "")?.[1] ?? 0);
  if (major < oldestNode) {
    throw new Error(
      `The tools need Node ${oldestNode} or newer and found ${stdout?.trim() || "none"}. The dependency "node" brings one: ` +
        "allow its install script (npm config get ignore-scripts) and delete node_modules.",
    );
  }
}

/**
 * The same for the published packages that tests and benches compare with, in bench/peers. What those share with us
 * they find in the root's node_modules, so that there is one of each.
 */
export function ensurePeers() {
  ensureFolder(peers);
}

/** @param {string} folder  one with a package-lock.json */
function ensureFolder(folder) {
  if (!isInstalled(folder)) install(folder);
}

/**
 * Whether a folder's node_modules holds every package of its lock file in its version; optional ones may be missing.
 * @param {string} folder
 */
function isInstalled(folder) {
  const installedFile = join(folder, "node_modules/.package-lock.json");
  if (!existsSync(installedFile)) return false;
  const wanted = readPackages(join(folder, "package-lock.json"));
  const installed = readPackages(installedFile);
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === "") return true;
    const found = installed[path];
    return found === undefined ? Boolean(entry.optional) : found.version === entry.version;
  });
}

/**
 * @param {string} file
 * @returns {Record<string, { version?: string, optional?: boolean }>}
 */
function readPackages(file) {
  return JSON.parse(readFileSync(file, "utf8")).packages ?? {};
}

/**
 * `npm ci`, once more when it fails (a registry may hiccup), then `npm install` (the lock file may lag behind).
 * @param {string} folder
 */
function install(folder) {
  const installed = join(folder, "node_modules");
  if (existsSync(installed) && lstatSync(installed).isSymbolicLink()) {
    throw new Error(
      `${installed} is a symbolic link and does not match package-lock.json. Install where it points to.`,
    );
  }
  console.log(folder === root ? "Installing dependencies …" : `Installing ${relative(root, folder)} …`);
  const done = [["ci"], ["ci"], ["install"]].some((command) => npm(folder, [...command, "--include=dev"]) === 0);
  if (!done) throw new Error("Installing the dependencies failed; npm's message stands above.");
}

/**
 * @param {string} folder
 * @param {string[]} args
 */
function npm(folder, args) {
  // npm tells its scripts where it is, which also works where `npm` is no executable of its own.
  const script = process.env["npm_execpath"];
  const [command, ...before] = script?.endsWith(".js") ? [process.execPath, script] : ["npm"];
  const all = [...before, ...args, "--prefix", folder];
  return spawnSync(command, all, { cwd: folder, stdio: ["ignore", "inherit", "inherit"] }).status;
}

/** The path of a Chromium: CHROMIUM_PATH, else the first of the usual names on the PATH, else undefined. */
export function findChromium() {
  const named = process.env["CHROMIUM_PATH"];
  if (named) return named;
  return findProgram("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
}

/** @param {string[]} names  the first that is found counts */
function findProgram(...names) {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter(Boolean);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}

/**
 * Finds Chromium, and installs Debian's where this process may: root, with apt-get. Returns undefined, after saying
 * what to install, when there is none; the tests that need it then fail with the same message.
 */
export function ensureChromium() {
  return findChromium() ?? (installPackage("chromium") ? findChromium() : undefined) ?? explainChromium();
}

/** The same for curl, which is one of the clients that the tests try. */
export function ensureCurl() {
  const found = findProgram("curl") ?? (installPackage("curl") ? findProgram("curl") : undefined);
  if (found === undefined) console.error("No curl found. Install it (Debian: apt-get install curl).");
  return found;
}

/** @param {string} name  of Debian's package */
function installPackage(name) {
  if (process.getuid?.() !== 0 || spawnSync("apt-get", ["--version"]).status !== 0) return false;
  console.log(`Installing ${name} for the tests …`);
  return apt(["update"]) && (apt(["install", "-y", name]) || apt(["install", "-y", "--fix-missing", name]));
}

/** @param {string[]} args */
function apt(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return spawnSync("apt-get", ["-qq", ...args], { env, stdio: ["ignore", "ignore", "inherit"] }).status === 0;
}

function explainChromium() {
  console.error("No Chromium found. Install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.");
  return undefined;
}
