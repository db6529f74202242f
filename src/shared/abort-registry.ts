/** One abort controller per request id: who runs a request takes its signal, who cancels it needs only the id. */
export class AbortRegistry {
  readonly #controllers = new Map<string, AbortController>();

  /** The signal of `id`, made on first use. Stays aborted after `cancel` until `remove`. */
  getSignal(id: string): AbortSignal {
    const controller = this.#controllers.get(id) ?? new AbortController();
    this.#controllers.set(id, controller);
    return controller.signal;
  }

  /** Aborts the request. Silent for an id that is not there, and when repeated. */
  cancel(id: string): void {
    this.#controllers.get(id)?.abort();
  }

  /** Forgets the request without aborting it; call it when the request has ended. */
  remove(id: string): void {
    this.#controllers.delete(id);
  }

  /** Aborts and forgets every request. */
  destroyAll(): void {
    const controllers = [...this.#controllers.values()];
    this.#controllers.clear();
    for (const controller of controllers) controller.abort();
  }

  /** Whether the request is known and not removed; a cancelled one still is. */
  has(id: string): boolean {
    return this.#controllers.has(id);
  }
}
