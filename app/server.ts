/** The Worker of `npm start`: conversations under /agents, which model is in use under /api/model, the page elsewhere. */
import { routeAgentRequest } from "agents";
import type { AppEnv } from "./assistant.ts";
import { chooseModel } from "./models/model-choice.ts";

export { StreamBuffer } from "troupe";
export { Assistant } from "./assistant.ts";

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (pathname === "/api/model") return modelInUse(request, env);
    return (await routeAgentRequest(request, env)) ?? env.ASSETS.fetch(request);
  },
} satisfies ExportedHandler<AppEnv>;

/** `GET /api/model` → `{name, source, note}`: which model answers, where it comes from, and why. */
function modelInUse(request: Request, env: AppEnv): Response {
  if (request.method !== "GET") return new Response(null, { status: 405, headers: { allow: "GET" } });
  const { name, source, note } = chooseModel(env);
  return Response.json({ name, source, note });
}
