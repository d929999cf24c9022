// What the times of a problem mean: ends that may be inclusive, and times with fractions. The
// rules are those of package format/times of the command, whose comment has the reasons.

import { InputError, given } from "./faults.js";
import { LEAST, MOST } from "./units.js";

const LOWER = ["start", "begin"];
const AMBIGUOUS = ["stop", "last", "until", "to"];
const UPPER = ["end", ...AMBIGUOUS];
export const ENDS = ["inclusive", "half-open"];

/** The largest number of decimal places of a time. */
const MOST_PLACES = 18;

/**
 * Returns a problem whose times are called lower and upper, are half-open, and are whole numbers, and how they were
 * read: ends, timeScale and notes, each only if there is something to say. A problem that has such times already is
 * returned as it is.
 */
export function timesOf(problem, ends, faults) {
  const read = new Reading(ends, faults);
  const { buffers, rules } = problem;
  const rows = Array.isArray(buffers) ? buffers : undefined;
  const named = rows ? rows.map((b, i) => read.names(b, rows, i)) : read.names(problem);
  if (!rows) {
    if (!given(named.lower) || !given(named.upper)) return [problem, {}];
    const times = [named.lower, named.upper, gapTimes(named.gaps)];
    read.places(times, rules);
    const changed = named !== problem || read.all > 0;
    return [changed ? read.columns(named, rules) : problem, read.told(named)];
  }
  read.places(rows.length ? rowTimes(named) : [], rules);
  if (!read.all && named.every((b, i) => b === rows[i])) return [problem, {}];
  return [{ ...problem, buffers: named.map((b) => read.row(b)), rules: read.rules(rules) }, read.told()];
}

/** Returns the times of a column of gaps, which has six numbers for each. */
function gapTimes(gaps) {
  return gaps ? Array.from(gaps).filter((_, k) => k % 6 === 1 || k % 6 === 2) : [];
}

/** Returns the times of buffers and of their gaps, in columns. */
function* rowTimes(buffers) {
  for (const b of buffers) {
    if (!b || typeof b !== "object") continue;
    yield [b.lower, b.upper];
    for (const g of Array.isArray(b.gaps) ? b.gaps : []) if (g && typeof g === "object") yield [g.lower, g.upper];
  }
}

/** The names and the scale of one problem. */
class Reading {
  all = 0; // decimal places by which times are multiplied
  #ends;
  #faults;
  #name = ""; // of the ends, if it leaves open what they mean
  #inclusive = new WeakSet(); // objects with inclusive ends
  #point = false; // some buffer starts and ends in one time slot
  #told = false; // that upper is half-open

  constructor(ends, faults) {
    this.#ends = ends ?? "";
    this.#faults = faults;
  }

  /** Returns an object with lower and upper in place of other names for them, or the object itself. */
  names(object, rows, i) {
    if (!object || typeof object !== "object") return object;
    const start = given(object.lower) ? undefined : LOWER.find((name) => given(object[name]));
    const end = given(object.upper) ? undefined : UPPER.find((name) => given(object[name]));
    if (!end && this.#ends === "inclusive" && given(object.upper) && !this.#told) {
      this.#told = true;
      this.#say(object, rows, i, "upper", "is half-open, and ends says otherwise: call it end if it has the last time slot of the lifespan");
    }
    let gaps = object.gaps;
    if (rows && Array.isArray(gaps)) {
      gaps = gaps.map((g) => this.names(g));
      if (gaps.every((g, k) => g === object.gaps[k])) gaps = object.gaps;
    }
    if (!start && !end && gaps === object.gaps) return object;
    const out = { ...object };
    if (gaps !== object.gaps) out.gaps = gaps;
    if (start) {
      out.lower = object[start];
      delete out[start];
    }
    if (end) {
      out.upper = object[end];
      delete out[end];
      if (!this.#ends && AMBIGUOUS.includes(end))
        this.#say(
          object, rows, i, end,
          'could mean two things: ends: "half-open" if it has the first time slot after the lifespan, ends: "inclusive" if it has the last one in it; the names upper and end say the same',
        ); // prettier-ignore
      this.#name ||= end;
      if (this.#ends !== "half-open") this.#inclusive.add(out);
      if (rows && Number(out.lower) === Number(out.upper)) this.#point = true;
    }
    return out;
  }

  #say(object, rows, i, field, message) {
    this.#faults.say({ buffer: rows ? String(object.id ?? i) : "", field, message });
  }

  /** Finds the least number of places that makes all times whole. */
  places(columns, rules) {
    const see = (value) => {
      if (typeof value !== "number" || Number.isInteger(value)) return;
      const parts = partsOf(value);
      if (parts) this.all = Math.max(this.all, parts.places);
    };
    for (const column of columns) {
      if (column instanceof BigInt64Array || !Number.isSafeInteger(column.length)) continue;
      for (let i = 0; i < column.length; i++) see(column[i]);
    }
    see(rules?.period);
    for (const of of rules?.evictions ?? []) for (const e of of ?? []) [e.lower ?? e[0], e.upper ?? e[1]].forEach(see);
    if (this.all > MOST_PLACES)
      throw new InputError(`a time has more than ${MOST_PLACES} decimal places: round the times`);
    if (this.all && rules?.distances?.length)
      throw new InputError("distances count time slots, so times must be whole numbers");
    if (this.all && rules?.clocks) throw new InputError("clocks count steps, so times must be whole numbers");
  }

  /** Returns a time multiplied, and as half-open ends count; what is no number is returned as it is. */
  #whole(value, last = 0n) {
    const parts = typeof value === "bigint" ? { digits: value, places: 0 } : partsOf(value);
    if (!parts || (typeof value === "number" && !this.all && !Number.isSafeInteger(value))) return value;
    const out = parts.digits * 10n ** BigInt(this.all - parts.places) + last;
    if (out < LEAST || out > MOST)
      throw new InputError(
        `the time ${value} does not fit into 64 bits if it is multiplied by ${10n ** BigInt(this.all)}, as the fractions of the times ask for: round them`,
      );
    return out;
  }

  #last(object) {
    return this.#inclusive.has(object) ? 1n : 0n;
  }

  /** Returns a buffer with its times multiplied. */
  row(b) {
    if (!b || typeof b !== "object") return b;
    const out = { ...b, lower: this.#whole(b.lower), upper: this.#whole(b.upper, this.#last(b)) };
    if (Array.isArray(b.gaps)) out.gaps = b.gaps.map((g) => (g && typeof g === "object" && !Array.isArray(g) ? this.row(g) : g));
    return out;
  }

  /** Returns columns with their times multiplied. */
  columns(named, rules) {
    const column = (values, last) => Array.from(values, (value) => this.#whole(value, last));
    const { lower, upper } = named;
    if (![lower, upper].every((c) => typeof c === "object" && Number.isSafeInteger(c.length))) return named;
    if (this.#name) this.#point = Array.from(lower).some((v, i) => Number(v) === Number(upper[i]));
    const gaps = named.gaps && Array.from(named.gaps, (v, k) => (k % 6 === 1 || k % 6 === 2 ? this.#whole(v) : v));
    return { ...named, lower: column(lower), upper: column(upper, this.#last(named)), gaps, rules: this.rules(rules) };
  }

  /** Returns rules with their times multiplied. */
  rules(rules) {
    if (!rules || !this.all) return rules;
    const out = { ...rules };
    if (given(rules.period)) out.period = this.#whole(rules.period);
    const eviction = (e) =>
      Array.isArray(e)
        ? [this.#whole(e[0]), this.#whole(e[1]), ...e.slice(2)]
        : { ...e, lower: this.#whole(e.lower), upper: this.#whole(e.upper) };
    if (rules.evictions) out.evictions = rules.evictions.map((all) => all && all.map(eviction));
    return out;
  }

  /** Returns what is to be said of the times. */
  told() {
    const out = {};
    const notes = [];
    if (this.#name) {
      out.ends = this.#ends || "inclusive";
      if (this.#ends) notes.push(`${this.#name} is read as ${out.ends}, as ends says`);
      else if (this.#point)
        notes.push(`${this.#name} is read as inclusive, and can be nothing else: a buffer starts and ends in one time slot; ends: "half-open" is the other way`);
      else
        notes.push(`${this.#name} is read as inclusive, the last time slot of each lifespan; if it is the first one after the lifespan, say ends: "half-open"`);
    }
    if (this.all) {
      out.timeScale = 10 ** this.all;
      notes.push(`the times have fractions and are multiplied by ${out.timeScale} here, which changes no offset`);
    }
    if (notes.length) out.notes = notes;
    return out;
  }
}

/** Returns a number as digits divided by ten to the power of places, or null if it is none. */
function partsOf(value) {
  if (typeof value !== "number") return null;
  const m = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value));
  if (!m) return null;
  const [, sign, whole, part = "", power = "0"] = m;
  let digits = BigInt(sign + whole + part);
  let places = part.length - Number(power);
  if (places < 0) {
    digits *= 10n ** BigInt(-places);
    places = 0;
  }
  return { digits, places };
}
