/** Calls somebody else's code. What it throws is told on the console, and keeps nobody else from hearing. */
export function guarded(call: () => void): void {
  try {
    call();
  } catch (error) {
    console.error(error);
  }
}
