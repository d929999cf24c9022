// The order of a plan for sizes that vary: offsets for any sizes, without planning.
//
// The order says for each buffer above which others it lies. Its offset is the highest end among those, rounded up to
// its alignment. Twins are Order.Place in Go, stowage_place in C and Order in Python; tests hold them to the heights
// that the command writes. Complexity: O(buffers + pairs).

import { InputError } from "./faults.js";

const TOKEN = /\s*(?:(\d+)|([A-Za-z_][\w.:]*)|(\/\/|[-+*^/()]))/y;

/** The order that `stowage solve -o plan.json FILE` writes for a problem of which the sizes vary. */
export class Order {
  #sizes;
  #steps;
  #plan;

  /** Takes the content of a plan in JSON: its text, or what JSON.parse makes of that. */
  constructor(plan) {
    this.#plan = typeof plan === "string" ? JSON.parse(plan) : (plan ?? {});
    const { buffers, scenarios, symbols, pools, plan: made } = this.#plan;
    if (!Array.isArray(buffers) || buffers.length !== made?.below?.length) {
      throw new InputError("the plan has no order: it comes from a problem of which sizes vary");
    }
    this.ids = buffers.map((b) => b.id);
    this.arena = made.height;
    this.height = 0;
    this.scenarios = typeof scenarios === "number" ? Array.from({ length: scenarios }, (_, k) => `${k}`) : (scenarios ?? []);
    this.symbols = Object.keys(symbols ?? {});
    this.#sizes = buffers.map((b) => b.sizes ?? b.size);
    const at = new Map(this.ids.map((id, i) => [id, i]));
    const wanted = new Map(pools?.map((p) => [p.id, p.alignment ?? 1]));
    const steps = buffers.map(({ alignment = 1, fixed, offset }, i) => ({
      i,
      fixed: fixed ?? offset, // the key depends on the version
      align: pools ? multiple(alignment, wanted.get(made.pools[i])) : alignment,
      below: made.below[i].map((id) => at.get(id)),
    }));
    this.#steps = sorted(steps);
  }

  /** Returns the size of each buffer in a scenario, by its name, or at values of the symbols. */
  sizes(where = {}) {
    if (this.scenarios.length) {
      const k = this.scenarios.indexOf(where);
      if (k < 0) throw new InputError(`there is no scenario ${where}: there are ${this.scenarios.join(", ")}`);
      return this.#sizes.map((s) => (typeof s === "number" ? s : s[k]));
    }
    const given = Object.keys(where);
    if (given.length !== this.symbols.length || !given.every((name) => this.symbols.includes(name))) {
      throw new InputError(`the symbols are ${this.symbols.join(", ")}; given are ${given.join(", ") || "none"}`);
    }
    return this.#sizes.map((s) => (typeof s === "number" ? s : value(s, where)));
  }

  /** Returns the order in a scenario, or at values of the symbols: that of --orders if the plan has several, else this one. */
  at(where = {}) {
    const made = this.#plan.plan;
    if (!made.orders) return this;
    const value = this.scenarios.length ? this.scenarios.indexOf(where) : where[made.switch];
    if (value === undefined) throw new InputError(`the value of ${made.switch} chooses the order, and is not given`);
    if (this.scenarios.length && value < 0) throw new InputError(`there is no scenario ${where}: there are ${this.scenarios.join(", ")}`);
    const k = Math.max(0, made.from.filter((low) => low <= value).length - 1);
    return new Order({ ...this.#plan, plan: { ...made, below: made.orders[k] } });
  }

  /** Returns the offset of each buffer for any sizes. No two buffers that live together overlap. */
  place(sizes) {
    if (sizes.length !== this.ids.length) {
      throw new InputError(`there are ${sizes.length} sizes for ${this.ids.length} buffers`);
    }
    const offsets = new Float64Array(sizes.length);
    let height = 0;
    for (const { i, align, fixed, below } of this.#steps) {
      let start = 0;
      for (const j of below) start = Math.max(start, offsets[j] + sizes[j]);
      if (fixed === undefined) start = Math.ceil(start / align) * align;
      else if (start > fixed) {
        throw new InputError(`the buffers below ${this.ids[i]} reach above its offset of ${fixed}`);
      } else start = fixed;
      if (!Number.isSafeInteger(sizes[i]) || sizes[i] < 0 || !Number.isSafeInteger(start + sizes[i])) {
        throw new InputError(`size ${sizes[i]} of buffer ${this.ids[i]} is no whole number from 0, or its end is too large`);
      }
      offsets[i] = start;
      height = Math.max(height, start + sizes[i]);
    }
    this.height = height;
    return offsets;
  }
}

/** The least number that both divide. */
function multiple(a, b) {
  let [x, y] = [a, b];
  while (y) [x, y] = [y, x % y];
  return (a / x) * b;
}

/** Returns the buffers, each after those that it lies above. */
function sorted(steps) {
  const above = steps.map(() => []);
  const waits = steps.map(({ below }) => below.length);
  for (const { i, below } of steps) for (const j of below) above[j].push(i);
  const ready = steps.filter(({ i }) => waits[i] === 0);
  for (const { i } of ready) for (const k of above[i]) if (--waits[k] === 0) ready.push(steps[k]);
  if (ready.length < steps.length) throw new InputError("a buffer lies above itself, by way of others");
  return ready;
}

/** Returns the value of a formula: whole numbers, symbols, + - * ^, floor(a/b), ceil(a/b), a//b. */
function value(text, symbols) {
  const wrong = (what) => new InputError(`the formula ${text} has an unexpected ${what || "end"}`);
  const tokens = [];
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < text.trimEnd().length; ) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (!found) throw wrong(text[at]);
    tokens.push(found[0].trim());
  }
  let k = 0;
  const take = (token) => {
    if (token && tokens[k] !== token) throw wrong(tokens[k]);
    return tokens[k++];
  };
  const sum = () => {
    let v = tokens[k] === "-" && take() ? -product() : product();
    while (tokens[k] === "+" || tokens[k] === "-") v = take() === "+" ? v + product() : v - product();
    return v;
  };
  const product = () => {
    let v = power();
    while (tokens[k] === "*" || tokens[k] === "//") v = take() === "*" ? v * power() : Math.floor(v / power());
    return v;
  };
  const power = () => {
    const v = atom();
    return tokens[k] === "^" && take() ? v ** Number(take()) : v;
  };
  const atom = () => {
    const token = take();
    if (/^\d/.test(token)) return Number(token);
    if (token === "(") {
      const v = sum();
      take(")");
      return v;
    }
    if (token === "floor" || token === "ceil") {
      take("(");
      const v = sum();
      take("/");
      const by = sum();
      take(")");
      return Math[token](v / by);
    }
    if (!Object.hasOwn(symbols, token)) throw wrong(token);
    return symbols[token];
  };
  const v = sum();
  if (k < tokens.length) throw wrong(tokens[k]);
  if (!Number.isSafeInteger(v)) throw new InputError(`the formula ${text} is ${v}, which is no exact number here`);
  return v;
}
