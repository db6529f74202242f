import type { LanguageModel } from "ai";
import { Conversation } from "troupe";
import { withTextFiles } from "./models/attached-text.ts";
import { openModel } from "./models/open-model.ts";
import type { ModelEnv } from "./models/model-choice.ts";
import { appTools } from "./tools/index.ts";

/** The bindings and variables of the app's Worker. */
export interface AppEnv extends ModelEnv, Cloudflare.Env {
  readonly ASSETS: Fetcher;
}

/** The assistant of `npm start`: the whole of what an app has to write. */
export class Assistant extends Conversation<AppEnv> {
  #model: LanguageModel | undefined;

  override getModel() {
    return (this.#model ??= openModel(this.env));
  }

  override getSystemPrompt() {
    return "You are a friendly, concise assistant. Use the tools when they help, and say what they answered.";
  }

  override getTools() {
    return appTools;
  }

  /** Attached text files as texts, which every provider understands. */
  override async assembleContext() {
    return withTextFiles(await super.assembleContext());
  }

  /** `GET …/inspect` → `{turn}`: the last turn and what it cost, for the panel of the page. */
  override async onRequest(request: Request) {
    const isInspection = request.method === "GET" && new URL(request.url).pathname.endsWith("/inspect");
    return isInspection
      ? Response.json({ turn: await this.inspectTurn() })
      : new Response("Not found", { status: 404 });
  }
}
