// What the search box takes: words that a buffer's ID must hold, and conditions, all of which must be true.
//
//	conv         the ID has it, in letters of any case
//	/conv_[12]$/ the ID matches the pattern
//	size>=1MiB   also upper, lower, offset, life, align, with < <= > >= =
//	at:120       live at that time
//	peak         owns the peak         top     ends at the height
//	group:conv   the group of its name, as in the legend
//	fixed        its place is demanded broken  breaks a rule
//	moved        has another place in the other plan
//
// Complexity: O(n) for each term.

import { parse } from "./numbers.js";

const COMPARE = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "=": (a, b) => a === b,
};

const FIELDS = {
  size:
    ({ doc }) =>
    (i) =>
      doc.size[i],
  lower:
    ({ doc }) =>
    (i) =>
      doc.lower[i],
  upper:
    ({ doc }) =>
    (i) =>
      doc.upper[i],
  life:
    ({ doc }) =>
    (i) =>
      doc.upper[i] - doc.lower[i],
  align:
    ({ doc }) =>
    (i) =>
      doc.alignment ? doc.alignment[i] : 1,
  offset:
    ({ offsets }) =>
    (i) =>
      offsets ? offsets[i] : NaN,
};

const WORDS = {
  peak: (facts) => (i) => facts.owner[i] === 1,
  top: (facts) => (i) => facts.topmost[i] === 1,
  fixed:
    ({ doc }) =>
    (i) =>
      Boolean(doc.fixed && doc.fixed[i]),
  broken:
    ({ doc }) =>
    (i) =>
      doc.broken[i] === 1,
};

/**
 * Returns 1 for each buffer that a query finds, with how many there are; null for a
 * query of nothing. A query that makes no sense throws an Error that says why.
 */
export function search(query, facts, moved) {
  const tests = query
    .trim()
    .split(/\s+/)
    .filter(Boolean)
    .map((term) => test(term, facts, moved));
  if (tests.length === 0) return null;
  const found = new Uint8Array(facts.doc.n);
  let total = 0;
  for (let i = 0; i < found.length; i++) {
    if (tests.every((t) => t(i))) {
      found[i] = 1;
      total++;
    }
  }
  return { found, total };
}

function test(term, facts, moved) {
  const { doc } = facts;
  const condition = /^([a-z]+)(<=|>=|<|>|=)(.+)$/i.exec(term);
  if (condition) {
    const [, name, sign, text] = condition;
    const field = FIELDS[name.toLowerCase()];
    const value = parse(text);
    if (!field) throw new Error(`${name} is not one of ${Object.keys(FIELDS).join(", ")}`);
    if (Number.isNaN(value)) throw new Error(`${text} is not a number`);
    const of = field(facts);
    const compare = COMPARE[sign];
    return (i) => compare(of(i), value);
  }
  const live = /^at:(-?\d+)$/i.exec(term);
  if (live) {
    const t = Number(live[1]);
    return (i) => doc.lower[i] <= t && t < doc.upper[i];
  }
  const group = /^group:(.+)$/i.exec(term);
  if (group) return grouped(group[1], doc);
  if (WORDS[term]) return WORDS[term](facts);
  if (term === "moved" && moved) return (i) => moved[i] === 1;
  if (term.length > 2 && term.startsWith("/") && term.endsWith("/")) {
    const pattern = new RegExp(term.slice(1, -1), "i");
    return (i) => pattern.test(doc.id(i));
  }
  const part = term.toLowerCase();
  return (i) => doc.id(i).toLowerCase().includes(part);
}

/** Returns what tells whether a buffer is in a group, or in none that has a colour. */
function grouped(name, doc) {
  for (const g of doc.groupings) {
    const k = name === "others" && g.rest ? 8 : g.names.indexOf(name);
    if (k >= 0) return (i) => g.of[i] === k;
  }
  const all = doc.groupings.flatMap(({ names }) => names);
  throw new Error(all.length ? `${name} is not one of ${all.join(", ")}` : "the names tell no groups");
}
