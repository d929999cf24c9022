// Buffers in, offsets out, on any host.

import { Client } from "./client.js";
import { columnOf, explanationOf, numberOf, problemOf, progressOf, resultOf, violationOf, waitsOf } from "./columns.js";
import { Faults, InputError, inputError } from "./faults.js";
import { EXPLAIN, OPTIONS, PLACED, callOf, digitsOf, optionsOf, takenOf } from "./options.js";
import { placesIn, ruledOf } from "./rules.js";

/** Returns the functions of the package for a host. */
export function coreOf(host) {
  const client = new Client("core", host);

  /**
   * Reads a problem and options, and calls an operation with them. Faults in options, names and single
   * numbers are found here, and all others by the program. All faults are reported together.
   */
  async function call(operation, problem, given, known, more) {
    const faults = new Faults();
    const options = takenOf(given, known, faults);
    const { told, ...columns } = problemOf(problem, faults, options.ends);
    const input = { problem: columns, ...more(options, columns, faults) };
    if (!faults.issues.length) {
      const { rules } = columns;
      try {
        const out = await client.call(operation, input, { ...callOf(options), onProgress: progressOf(options) });
        return { ...out, rules, told, bigint: options.bigint };
      } catch (error) {
        if (!(error instanceof InputError) || !told.timeScale) throw error;
        throw new InputError(`${error.message}\n(times are multiplied by ${told.timeScale} here)`, error.issues);
      }
    }
    try {
      await client.call("check", { problem: columns }, callOf(options));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      faults.issues.push(...error.issues);
    }
    throw inputError(faults.issues);
  }

  /** Calls an operation on a plan of a problem. */
  function callOn(operation, problem, offsets, given) {
    if (!offsets) throw new InputError("offsets: must be an array of numbers: a result without a plan has none");
    const more = (options, { lower, rules, ids }, faults) => ({
      offsets: columnOf(offsets, "offsets", lower.length),
      capacity: digitsOf(options.capacity, "capacity", faults),
      ...placesIn(options, rules, lower.length, ids),
    });
    return call(operation, problem, given, PLACED, more);
  }

  return {
    /** Plans a problem. */
    async solve(problem, options = {}) {
      const more = (taken, { lower }, faults) => ({ options: optionsOf(taken, lower.length, faults) });
      const out = await call("solve", problem, options, OPTIONS, more);
      return resultOf(out, out.bigint, out.rules, out.told);
    },

    /** Names buffers that cannot fit together, and says why. */
    async explain(problem, options = {}) {
      const more = (taken, { lower }, faults) => ({
        options: optionsOf(taken, lower.length, faults),
        smallest: Boolean(taken.smallest),
      });
      const out = await call("explain", problem, options, EXPLAIN, more);
      return explanationOf(out, out.bigint);
    },

    /** Checks a plan. */
    async verify(problem, offsets, options = {}) {
      const out = await callOn("verify", problem, offsets, options);
      const { ok, height, total, violations, measures, rules, bigint } = out;
      return {
        ok,
        height: numberOf(height, bigint),
        total,
        violations: violations.map(violationOf),
        ...ruledOf({ measures }, rules, (text) => numberOf(text, bigint)),
      };
    },

    /** Lists which buffers of a plan must wait for others whose bytes they take over. */
    async barriers(problem, offsets, options = {}) {
      const out = await callOn("barriers", problem, offsets, options);
      return waitsOf(out.waits, out.bigint);
    },

    /** Ends the worker. */
    close() {
      client.close();
    },
  };
}
