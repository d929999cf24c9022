// Numbers for people: with separators, in units, and at round places on an axis.

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** 1234567 → 1,234,567 */
export function whole(x) {
  return grouped.format(x || 0); // no minus before 0
}

/** The same for a number that is text, and may be larger than JavaScript's own. */
export function digits(text) {
  return String(text).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** 1572864 → 1.5 MiB; numbers that are no multiple of anything keep three digits, or as many as are asked for. */
export function bytes(x, digits = 3) {
  let k = 0;
  let value = Math.abs(x);
  while (value >= 1024 && k < UNITS.length - 1) {
    value /= 1024;
    k++;
  }
  const text = k === 0 ? whole(value) : String(Number(value.toPrecision(Math.max(digits, value >= 1000 ? 4 : 3))));
  return (x < 0 ? "−" : "") + text + " " + UNITS[k];
}

/** Exact, and in units where that says more. */
export function both(x) {
  return Math.abs(x) < 10240 ? whole(x) : `${whole(x)} (${bytes(x)})`;
}

const MOST_DIGITS = 8;

/**
 * Writes numbers in units, with so many digits that those that differ have different texts;
 * all of them exactly if that takes too many.
 */
export function apart(values, write = bytes) {
  const many = new Set(values).size;
  for (let digits = 3; digits <= MOST_DIGITS; digits++) {
    const texts = values.map((v) => write(v, digits));
    if (new Set(texts).size === many) return texts;
  }
  return values.map(whole);
}

/** A range of bytes, exact, and in units that tell its ends apart. */
export function span(from, to) {
  if (Math.max(Math.abs(from), Math.abs(to)) < 10240) return `${whole(from)} up to ${whole(to)}`;
  const [a, b] = apart([from, to]);
  return `${whole(from)} (${a}) up to ${whole(to)} (${b})`;
}

export function percent(part) {
  return (100 * part).toFixed(part !== 0 && Math.abs(part) < 0.1 ? 2 : 1) + "%";
}

export function count(n, one) {
  return `${whole(n)} ${one}${n === 1 ? "" : "s"}`;
}

/**
 * Returns round places within [low, high] that are at most so many, with their texts.
 * Offsets of many bytes are round in base two. The texts are exact, so all differ: if units
 * with few digits are not, all are in the largest unit that the step is a multiple of.
 */
export function ticks(low, high, most, binary) {
  const range = high - low;
  if (!(range > 0) || most < 1) return [];
  const rough = Math.max(range / most, 1);
  let step;
  if (binary) {
    step = 2 ** Math.ceil(Math.log2(rough));
  } else {
    const power = 10 ** Math.floor(Math.log10(rough));
    step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999);
  }
  const values = [];
  for (let v = Math.ceil(low / step) * step; v <= high; v += step) values.push(v);
  const write = binary ? tickTexts(values, step) : whole;
  return values.map((value) => ({ value, text: write(value) }));
}

/** Returns what writes the places on an axis that are multiples of a power of two. */
function tickTexts(values, step) {
  const scale = (v) => 1024 ** Math.max(0, Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.abs(v) || 1) / 10)));
  const exact = (v) => Number((v / scale(v)).toPrecision(v / scale(v) >= 1000 ? 4 : 3)) === v / scale(v);
  if (values.every(exact)) return bytes;
  const unit = scale(step);
  const name = UNITS[Math.round(Math.log2(unit) / 10)];
  return (v) => (unit === 1 ? whole(v) : `${whole(v / unit)} ${name}`);
}

/**
 * Reads 1.5MiB, 64k, 1e6 as the command does (package units; a test holds the two against
 * each other), where k is binary and kB is not; NaN for anything else.
 */
export function parse(text) {
  const m = /^([+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*(?:([kmgt])(i?b)?|b)?$/i.exec(text.trim());
  if (!m) return NaN;
  const power = m[2] ? "kmgt".indexOf(m[2].toLowerCase()) + 1 : 0;
  return Number(m[1]) * (m[3]?.toLowerCase() === "b" ? 1000 : 1024) ** power;
}
