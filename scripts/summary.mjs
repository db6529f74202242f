/** What a report of vitest's json reporter comes down to: how many passed, and the name of everything that failed. */
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

/** @typedef {{ passed: number, skipped: number, failures: string[] }} Summary */
/** @typedef {{ status: string, fullName: string, failureMessages?: string[] }} Assertion */
/** @typedef {{ name: string, status: string, message?: string, assertionResults: Assertion[] }} TestFile */
/** @typedef {{ numPassedTests: number, numPendingTests: number, numTodoTests: number, testResults: TestFile[] }} Report */

/**
 * A failure reads `file > name: first line of its message`. A file that failed without a failed test did not load, or
 * broke around its tests, and counts as one; so does a run that failed for a reason no file shows, such as an unhandled
 * rejection.
 * @param {Report} report
 * @param {number} exitCode
 * @param {string} root  file names are told from here
 * @returns {Summary}
 */
export function summarise(report, exitCode, root) {
  const failures = report.testResults.flatMap((file) => failuresOf(file, relative(root, file.name)));
  const unexplained = failures.length === 0 && exitCode !== 0;
  return {
    passed: report.numPassedTests,
    skipped: report.numPendingTests + report.numTodoTests,
    failures: unexplained ? [`the test run ended with ${exitCode}; the reason stands above`] : failures,
  };
}

/**
 * @param {TestFile} file
 * @param {string} path
 */
function failuresOf({ status, message, assertionResults }, path) {
  const failed = assertionResults.filter((test) => test.status === "failed");
  if (failed.length === 0) return status === "failed" ? [`${path}: ${firstLine(message)}`] : [];
  return failed.map(({ fullName, failureMessages }) => `${path} > ${fullName}: ${firstLine(failureMessages?.[0])}`);
}

/** @param {string | undefined} text */
function firstLine(text = "") {
  return stripVTControlCharacters(text).trim().split("\n", 1)[0] || "no message";
}
