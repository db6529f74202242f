/** How a model server is set up. */
export interface ModelOptions {
  /** Begins the ids of answers. */
  readonly name: string;
  /** Messages in the first page of a client with `delta`. */
  readonly pageSize: number;
  /** Messages that stay stored. */
  readonly keeps: number;
  /** Messages in the window. */
  readonly windowSize: number;
  /** Most turns that wait. */
  readonly line: number;
  /** Whether a turn that was cut goes on in another segment instead of ending as interrupted. */
  readonly isRecovering: boolean;
}
