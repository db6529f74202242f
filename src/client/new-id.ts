/** A random id: 25 letters and digits, 128 random bits. Works without a secure context, where `randomUUID` is missing. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const number = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  return number.toString(36).padStart(25, "0");
}
