/** Looks at what goes over a conversation's socket, and changes none of it. */
import { type ChatSocket, type ConversationAddress, reconnectingSocket } from "troupe/client";
import { emptyLog, type FrameLog, logEvent, logFrame } from "./frame-log.ts";

/** A log of frames that grows while the socket is in use. Listeners are told once per animation frame at most. */
export class FrameTap {
  readonly #listeners = new Set<() => void>();
  #log = emptyLog;
  #isScheduled = false;

  readonly get = (): FrameLog => this.#log;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly clear = (): void => this.#note(() => emptyLog);

  /** Makes the socket of a conversation, with this tap on it: the option `socket` of a `ChatClient`. */
  readonly socket = (address: ConversationAddress): ChatSocket => {
    const socket = reconnectingSocket(address);
    socket.addEventListener("open", () => this.#note((log) => logEvent(log, "open", "", Date.now())));
    socket.addEventListener("close", ({ code }) =>
      this.#note((log) => logEvent(log, "close", `Close code ${code}`, Date.now())),
    );
    socket.addEventListener("message", ({ data }) => {
      if (typeof data === "string") this.#note((log) => logFrame(log, "received", data, Date.now()));
    });
    return {
      send: (data) => {
        this.#note((log) => logFrame(log, "sent", data, Date.now()));
        socket.send(data);
      },
      close: () => socket.close(),
      addEventListener: socket.addEventListener.bind(socket),
    };
  };

  #note(change: (log: FrameLog) => FrameLog): void {
    this.#log = change(this.#log);
    if (this.#isScheduled || this.#listeners.size === 0) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      for (const listener of this.#listeners) listener();
    });
  }
}
