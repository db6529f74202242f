/** What a test of the matrix tries, kept with the test for the table that `npm test` prints. */
export interface ClientCell {
  readonly client: string;
  readonly capability: string;
}

declare module "vitest" {
  interface TaskMeta {
    clientCell?: ClientCell;
  }
}
