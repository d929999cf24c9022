// Rules as the program takes them: each list of rules is one BigInt64Array, row after row. Names of
// buffers and pools become places here; the program checks the rest.

import { Faults, InputError, given } from "./faults.js";
import { sizeOf } from "./units.js";

// generated: rules
// prettier-ignore
const RULES = [
  "pools", "allowed", "costs", "together", "apart", "mayOverlap", "distances", "penalties", "evictions", "clocks",
  "period", "objective", "differentPools", "samePool", "lockstep", "kinds", "alternatives", "groups", "spans",
  "extents",
];
// end of rules
// Those that are lists, row after row.
const LISTS = ["reserved", ...RULES.slice(1, 9), "differentPools", "samePool", "objects", "lockstep", "borders", "sizes", "spans", "granularity", "kinds", "groups", "groupCosts", "alternatives", "extents"];
const PAID = ["if one shares", "if all share", "unless all coincide", "unless one coincides"];
const POOL = ["id", "capacity", "alignment", "cost", "reserved", "objects", "borders", "sizes", "granularity"];

const textual = (value) => typeof value === "string";

/** Adds a fault for each rule, and for ends, that stands beside the buffers, where it would do nothing. */
export function misplaced(problem, faults) {
  for (const name of RULES)
    if (given(problem[name])) faults.say({ field: name, message: `is a rule: rules: { ${name} } is meant` });
  if (given(problem.ends)) faults.say({ field: "ends", message: "is an option of the call, beside the problem" });
}

/** Returns the rules of a problem with n buffers as the program takes them; undefined if there are none. */
export function rulesOf(rules, n, ids) {
  if (!given(rules)) return undefined;
  if (typeof rules !== "object") throw new InputError("rules: must be an object");
  const faults = new Faults();
  faults.slips(rules, RULES);
  for (const name in rules) {
    if (!RULES.includes(name) && !faults.issues.length)
      throw new InputError(`rules: there is no rule ${name}; there are ${RULES.join(", ")}`);
  }
  faults.end();
  const pools = rowsOf(rules.pools, "pools").map((pool, k) => poolOf(pool, k));
  const buffer = placesOf("buffer", n, ids);
  const pool = poolsOf(pools.map(({ id }) => id));
  const lists = Object.fromEntries(LISTS.map((name) => [name, []]));
  pools.forEach(({ id, reserved, objects, borders, sizes, granularity }, k) => {
    if (granularity) lists.granularity.push(BigInt(k), granularity);
    if (objects) lists.objects.push(BigInt(k));
    for (const at of borders) lists.borders.push(BigInt(k), wholeOf(at, `borders of pool ${id}`));
    for (const size of sizes) lists.sizes.push(BigInt(k), ...numbersIn(size, 2, `sizes of pool ${id}`));
    for (const range of reserved) lists.reserved.push(BigInt(k), ...numbersIn(range, 2, `reserved of pool ${id}`));
  });
  const each = (name, of) => {
    const rows = rowsOf(rules[name], name);
    if (rows.length && rows.length !== n) throw new InputError(`${name} has ${rows.length} values for ${n} buffers`);
    rows.forEach((row, i) => given(row) && of(row, BigInt(i), `${name} of buffer ${ids?.[i] ?? i}`));
  };
  each("allowed", (row, i, what) => {
    for (const name of textual(row) || typeof row === "number" ? [row] : rowsOf(row, what))
      lists.allowed.push(i, pool(name, what));
  });
  each("costs", (row, i, what) => {
    if (typeof row !== "object") throw new InputError(`${what}: must be an object of pools and costs`);
    for (const [name, cost] of Object.entries(row)) lists.costs.push(i, pool(name, what), wholeOf(cost, what));
  });
  each("evictions", (row, i, what) => {
    for (const stretch of rowsOf(row, what)) {
      const { lower, upper, cost } = stretch ?? {};
      lists.evictions.push(i, ...numbersIn(Array.isArray(stretch) ? stretch : [lower, upper, cost], 3, what));
    }
  });
  each("extents", (row, i, what) => {
    const extents = rowsOf(row, what).map((x) => wholeOf(x, what));
    if (extents.length < 2 || extents.length > 3) throw new InputError(`${what}: must have 2 or 3 values, has ${extents.length}`);
    lists.extents.push(i, ...extents, ...(extents.length < 3 ? [0n] : []));
  });
  rowsOf(rules.together, "together").forEach((group, k) => {
    const what = `together[${k}]`;
    const { buffers, at: places } = Array.isArray(group) ? { buffers: group } : (group ?? {});
    const members = rowsOf(buffers, what).map((name) => buffer(name, what));
    const at = given(places) ? rowsOf(places, what).map((x) => wholeOf(x, what)) : members.map(() => 0n);
    if (!members.length || at.length !== members.length)
      throw new InputError(`${what} has ${members.length} buffers and ${at.length} distances`);
    for (let m = 1; m < members.length; m++) lists.together.push(members[0], members[m], at[m] - at[0]);
  });
  // Pairs, and what a pair has beside its buffers if it has something.
  for (const [name, key] of Object.entries({ apart: "", mayOverlap: "", distances: "distance", penalties: "cost" })) {
    rowsOf(rules[name], name).forEach((rule, k) => {
      const what = `${name}[${k}]`;
      const keyed = key && !Array.isArray(rule) ? [...rowsOf(rule?.buffers, what), rule?.[key]] : rule;
      const [a, b, ...value] = rowOf(keyed, key ? 3 : 2, what);
      lists[name].push(buffer(a, what), buffer(b, what), ...value.map((x) => wholeOf(x, what)));
    });
  }
  for (const name of ["differentPools", "samePool", "lockstep", "kinds", "alternatives"]) {
    rowsOf(rules[name], name).forEach((list, k) => {
      const what = `${name}[${k}]`;
      for (const of of rowsOf(list, what)) lists[name].push(BigInt(k), buffer(of, what));
    });
  }
  rowsOf(rules.groups, "groups").forEach(({ pairs, cost, paid = PAID[0] }, k) => {
    const what = `groups[${k}]`;
    const when = PAID.indexOf(paid);
    if (when < 0) throw new InputError(`${what}.paid: must be one of: ${PAID.join(", ")}`);
    for (const pair of rowsOf(pairs, what))
      lists.groups.push(BigInt(k), ...rowOf(pair, 2, what).map((name) => buffer(name, what)));
    lists.groupCosts.push(wholeOf(cost, what), BigInt(when));
  });
  for (const of of rowsOf(rules.spans, "spans")) lists.spans.push(buffer(of, "spans"));
  const out = {
    ids: pools.map(({ id }) => id),
    objective: textual(rules.objective) ? [rules.objective] : rowsOf(rules.objective, "objective").map(String),
  };
  for (const field of ["capacity", "alignment", "cost"]) out[field] = BigInt64Array.from(pools, (of) => of[field]);
  for (const [name, numbers] of Object.entries(lists)) out[name] = BigInt64Array.from(numbers);
  out.period = given(rules.period) ? wholeOf(rules.period, "period").toString() : undefined;
  return { ...out, ...clocksOf(rules.clocks, n) };
}

/** Returns the clocks of a problem: all starts, and all ends, one buffer after another. */
function clocksOf(clocks, n) {
  if (!given(clocks)) return {};
  const times = ["lower", "upper"].map((field) => {
    const rows = rowsOf(clocks[field], `clocks.${field}`);
    const threads = rows[0]?.length ?? 0;
    if (rows.length !== n || !threads)
      throw new InputError(`clocks.${field} must have one or more numbers for each of ${n} buffers`);
    return [threads, rows.flatMap((row, i) => numbersIn(row, threads, `clocks.${field} of buffer ${i}`))];
  });
  if (times[0][0] !== times[1][0])
    throw new InputError(`clocks: lower has ${times[0][0]} for each buffer, and upper ${times[1][0]}`);
  return {
    threads: times[0][0],
    clockLower: BigInt64Array.from(times[0][1]),
    clockUpper: BigInt64Array.from(times[1][1]),
  };
}

/** Returns where a plan has the buffers: their pools, and the parts of those that are evicted. */
export function placesIn({ pools, parts }, rules, n, ids) {
  const what = "pools";
  if (!given(pools) && !given(parts)) return {};
  if (!rules) throw new InputError("pools and parts are for a problem with rules");
  const pool = poolsOf(rules.ids);
  const buffer = placesOf("buffer", n, ids);
  const out = {};
  if (given(pools)) {
    const rows = rowsOf(pools, what);
    if (rows.length !== n) throw new InputError(`pools has ${rows.length} names for ${n} buffers`);
    out.pools = BigInt64Array.from(rows, (name) => (name === null ? -1n : pool(name, what)));
  }
  const rows = rowsOf(parts, "parts").flatMap(({ buffer: of, lower, upper, pool: name, offset }, k) => [
    buffer(of, `parts[${k}]`),
    ...[lower, upper].map((x) => wholeOf(x, `parts[${k}]`)),
    given(name) ? pool(name, `parts[${k}]`) : 0n,
    wholeOf(offset, `parts[${k}]`),
  ]);
  if (rows.length) out.parts = BigInt64Array.from(rows);
  return out;
}

/** Returns what a result of a problem with rules has beside that of others, or of a report on it. */
export function ruledOf({ pools, parts, objective, measures, bounds }, rules, numberOf) {
  if (!rules) return {};
  const out = {};
  const name = (place) => rules.ids[Number(place)] ?? null;
  const numbers = (of) => Object.fromEntries(Object.entries(of).map(([key, value]) => [key, numberOf(value)]));
  if (pools !== undefined) out.pools = pools && rules.ids.length ? Array.from(pools, name) : null;
  if (parts !== undefined) {
    out.parts = [];
    for (let k = 0; k < parts.length; k += 5) {
      const [lower, upper, offset] = [parts[k + 1], parts[k + 2], parts[k + 4]].map((x) => numberOf(x));
      out.parts.push({ buffer: Number(parts[k]), lower, upper, offset, pool: name(parts[k + 3]) });
    }
  }
  if (objective !== undefined) out.objective = objective;
  if (measures !== undefined) out.measures = numbers(measures);
  if (bounds !== undefined) out.bounds = numbers(bounds);
  return out;
}

function poolOf(pool, k) {
  if (textual(pool)) pool = { id: pool };
  if (!pool || typeof pool !== "object" || !textual(pool.id))
    throw new InputError(`pools[${k}]: must be a name or an object with an id`);
  const faults = new Faults();
  faults.slips(pool, POOL, "");
  faults.end();
  const number = (field) => {
    const value = given(pool[field]) ? sizeOf(pool[field]) : 0n;
    if (value === null)
      throw new InputError(`pools[${k}].${field}: must be a whole number, or text with a unit, such as 2KiB`);
    return value;
  };
  if (given(pool.objects) && typeof pool.objects !== "boolean")
    throw new InputError(`pools[${k}].objects: must be true or false`);
  return {
    id: pool.id,
    objects: pool.objects,
    capacity: number("capacity"),
    alignment: number("alignment"),
    cost: number("cost"),
    granularity: number("granularity"),
    reserved: rowsOf(pool.reserved, `pools[${k}].reserved`),
    borders: rowsOf(pool.borders, `pools[${k}].borders`),
    sizes: rowsOf(pool.sizes, `pools[${k}].sizes`),
  };
}

/** Returns a function that makes places of names of pools. */
const poolsOf = (names) => placesOf("pool", names.length, names);

/** Returns a function that makes a place of a name or a place. */
function placesOf(thing, n, ids) {
  let places;
  return (name, what) => {
    if (textual(name)) {
      places ??= new Map(Array.from({ length: n }, (_, i) => [String(ids?.[i] ?? i), i]));
      if (!places.has(name)) throw new InputError(`${what}: there is no ${thing} ${JSON.stringify(name)}`);
      return BigInt(places.get(name));
    }
    const place = wholeOf(name, what);
    if (place < 0n || place >= BigInt(n))
      throw new InputError(`${what}: there is no ${thing} at ${place}; there are ${n}`);
    return place;
  };
}

function rowsOf(rows, what) {
  if (!given(rows)) return [];
  if (textual(rows) || typeof rows !== "object" || !(Array.isArray(rows) || ArrayBuffer.isView(rows)))
    throw new InputError(`${what}: must be an array`);
  return Array.from(rows);
}

function rowOf(row, length, what) {
  const values = rowsOf(row, what);
  if (values.length !== length) throw new InputError(`${what}: must have ${length} values, has ${values.length}`);
  return values;
}

const numbersIn = (row, length, what) => rowOf(row, length, what).map((x) => wholeOf(x, what));

function wholeOf(value, what) {
  if (typeof value === "bigint" && BigInt.asIntN(64, value) === value) return value;
  if (Number.isSafeInteger(value)) return BigInt(value);
  throw new InputError(`${what}: ${JSON.stringify(value) ?? value} must be a whole number below 2^53, or a BigInt`);
}
