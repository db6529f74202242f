/** The way from a request to an object, the same for all subjects. */
import { release } from "./speaker.ts";

/** What the bench asks of each conversation besides its socket. */
export interface Subject extends Rpc.DurableObjectBranded {
  /** Makes a history of so many messages without running a turn. */
  seed(messages: number): Promise<void>;
  /** Drops the object from memory; its storage stays. */
  drop(): Promise<void>;
}

/** `/agents/<class>/<name>` is a conversation; `/seed`, `/drop` and `/release` are the bench's own. */
export async function route<S extends Subject>(
  request: Request,
  conversations: DurableObjectNamespace<S>,
  connect: (request: Request, name: string) => Promise<Response | null>,
): Promise<Response> {
  const url = new URL(request.url);
  const name = url.pathname.split("/").at(-1) ?? "";
  const stub = (): Subject => conversations.getByName(name) as unknown as Subject;
  switch (url.pathname.split("/")[1]) {
    case "agents":
      return (await connect(request, name)) ?? new Response("not found", { status: 404 });
    case "seed":
      await stub().seed(Number(url.searchParams.get("messages")));
      return new Response("seeded");
    case "drop":
      await stub()
        .drop()
        .catch(() => undefined);
      return new Response("dropped");
    case "release":
      return release(name);
    default:
      return new Response("bench");
  }
}
