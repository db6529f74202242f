/** A wire between clients and the server that the test can cut: what is under way is lost, as on a bad network. */
import { connect, createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";

export class CuttingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isDown = false;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Passes every connection on to a port of this machine. */
  static async start(targetPort: number): Promise<CuttingProxy> {
    const server = createServer();
    const proxy = new CuttingProxy(server);
    server.on("connection", (socket) => {
      if (proxy.#isDown) socket.resetAndDestroy();
      else proxy.#pass(socket, connect(targetPort, "127.0.0.1"));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resets every connection there is, at both ends. New ones pass. Returns how many. */
  cut(): number {
    const cut = this.#sockets.size / 2;
    for (const socket of this.#sockets) socket.resetAndDestroy();
    return cut;
  }

  /** Cuts, and resets new connections as well while `act` runs. */
  async whileDown(act: () => Promise<void>): Promise<void> {
    this.#isDown = true;
    this.cut();
    try {
      await act();
    } finally {
      this.#isDown = false;
    }
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #pass(client: Socket, server: Socket): void {
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(one);
      one.setNoDelay(true);
      one.pipe(other);
      // An end that breaks takes the other with it.
      one.on("error", () => other.destroy());
      one.on("close", () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
  }
}
