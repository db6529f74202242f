/** What a process has used, as Linux tells it. */
import { readFileSync, writeFileSync } from "node:fs";

/** Ticks of `utime` and `stime` in a second; the same on every Linux that Node runs on. */
const TICKS = 100;

/** Processor time of all threads so far, in milliseconds, in steps of 10. */
export function cpuMs(pid: number): number {
  const status = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name in brackets may contain spaces; the fields after it begin with the third.
  const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
}

/** Resident memory now, in bytes. */
export function residentBytes(pid: number): number {
  return statusBytes(pid, "VmRSS");
}

/** The most resident memory since `forgetPeak`, in bytes. */
export function peakBytes(pid: number): number {
  return statusBytes(pid, "VmHWM");
}

export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

function statusBytes(pid: number, field: string): number {
  const line = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(line?.[1] ?? Number.NaN) * 1024;
}
