// Buffers in, offsets out, whatever it runs on.

import { Client } from "./client.js";
import {
  COMMON,
  OPTIONS,
  digits,
  numberOf,
  optionsOf,
  problemOf,
  progressOf,
  resultOf,
  violationOf,
} from "./columns.js";
import { slips } from "./faults.js";

/** Returns the functions of the package for a host. */
export function coreOf(host) {
  const client = new Client("core", host);
  return {
    /** Plans a problem. */
    async solve(problem, options = {}) {
      slips(options, OPTIONS, "option");
      const columns = problemOf(problem);
      const input = { problem: columns, options: optionsOf(options, columns.lower.length) };
      const out = await client.call("solve", input, { ...options, onProgress: progressOf(options) });
      return resultOf(out, options.bigint);
    },

    /** Checks a plan. */
    async verify(problem, offsets, options = {}) {
      slips(options, [...COMMON, "capacity", "bigint"], "option");
      const columns = problemOf(problem);
      const { start } = optionsOf({ start: offsets }, columns.lower.length, "offsets");
      const { ok, height, total, violations } = await client.call(
        "verify",
        { problem: columns, offsets: start, capacity: digits(options.capacity, "capacity") },
        options,
      );
      return { ok, height: numberOf(height, options.bigint), total, violations: violations.map(violationOf) };
    },

    /** Ends the worker. */
    close() {
      client.close();
    },
  };
}
