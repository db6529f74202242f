/**
 * Stands for packages that the peers import and that no measured path reaches. One of them (`chat`, for messengers)
 * does not load in a bare runtime, because it makes an AbortController before the first request.
 */
function Absent() {
  throw new Error("not part of the bench");
}

export { Absent as Bash, Absent as Chat, Absent as defineCommand, Absent as Message, Absent as ThreadImpl };
