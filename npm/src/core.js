// Buffers in, offsets out, on any host.

import { Client } from "./client.js";
import {
  COMMON,
  EXPLAIN,
  OPTIONS,
  explanationOf,
  numberOf,
  optionsOf,
  problemOf,
  progressOf,
  resultOf,
  violationOf,
  waitsOf,
} from "./columns.js";
import { Faults, InputError, inputError } from "./faults.js";
import { placesIn, ruledOf } from "./rules.js";

/** Returns the functions of the package for a host. */
export function coreOf(host) {
  const client = new Client("core", host);

  /**
   * Reads a problem and options, and calls an operation with them. Faults in names and single
   * numbers are found here, and all others by the program. All faults are reported together.
   */
  async function call(operation, problem, options, known, more) {
    const faults = new Faults();
    if (!options || typeof options !== "object") throw new InputError("the options are not an object");
    faults.slips(options, known, "", true);
    const { told, ...columns } = problemOf(problem, faults, options.ends);
    const input = { problem: columns, ...more(columns.lower.length, faults, columns) };
    if (!faults.issues.length) {
      const { rules } = columns;
      try {
        return { rules, told, ...(await client.call(operation, input, { ...options, onProgress: progressOf(options) })) };
      } catch (error) {
        if (!(error instanceof InputError) || !told.timeScale) throw error;
        throw new InputError(`${error.message}\n(times are multiplied by ${told.timeScale} here)`, error.issues);
      }
    }
    try {
      await client.call("check", { problem: columns }, options);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      faults.issues.push(...error.issues);
    }
    throw inputError(faults.issues);
  }

  /** Calls an operation on a plan of a problem. */
  function callOn(operation, problem, offsets, options) {
    const more = (n, faults, { rules, ids }) => {
      const { start, capacity } = optionsOf({ start: offsets, capacity: options.capacity }, n, "offsets", faults);
      return { offsets: start, capacity, ...placesIn(options, rules, n, ids) };
    };
    return call(operation, problem, options, [...COMMON, "ends", "capacity", "pools", "parts", "bigint"], more);
  }

  return {
    /** Plans a problem. */
    async solve(problem, options = {}) {
      const more = (n, faults) => ({ options: optionsOf(options, n, "start", faults) });
      const out = await call("solve", problem, options, OPTIONS, more);
      return resultOf(out, options.bigint, out.rules, out.told);
    },

    /** Names buffers that cannot fit together, and says why. */
    async explain(problem, options = {}) {
      const more = (n, faults) => ({
        options: optionsOf(options, n, "start", faults),
        smallest: Boolean(options.smallest),
      });
      return explanationOf(await call("explain", problem, options, EXPLAIN, more), options.bigint);
    },

    /** Checks a plan. */
    async verify(problem, offsets, options = {}) {
      const { ok, height, total, violations, measures, rules } = await callOn("verify", problem, offsets, options);
      return {
        ok,
        height: numberOf(height, options.bigint),
        total,
        violations: violations.map(violationOf),
        ...ruledOf({ measures }, rules, (text) => numberOf(text, options.bigint)),
      };
    },

    /** Lists which buffers of a plan must wait for others whose bytes they take over. */
    async barriers(problem, offsets, options = {}) {
      return waitsOf((await callOn("barriers", problem, offsets, options)).waits, options.bigint);
    },

    /** Ends the worker. */
    close() {
      client.close();
    },
  };
}
