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

/** 1572864 → 1.5 MiB; numbers that are no multiple of anything keep three digits. */
export function bytes(x) {
  let k = 0;
  let value = Math.abs(x);
  while (value >= 1024 && k < UNITS.length - 1) {
    value /= 1024;
    k++;
  }
  const text = k === 0 ? whole(value) : String(Number(value.toPrecision(value >= 1000 ? 4 : 3)));
  return (x < 0 ? "−" : "") + text + " " + UNITS[k];
}

/** Exact, and in units where that says more. */
export function both(x) {
  return Math.abs(x) < 10240 ? whole(x) : `${whole(x)} (${bytes(x)})`;
}

export function percent(part) {
  return (100 * part).toFixed(part !== 0 && Math.abs(part) < 0.1 ? 2 : 1) + "%";
}

export function count(n, one) {
  return `${whole(n)} ${one}${n === 1 ? "" : "s"}`;
}

/**
 * Returns round places within [low, high] that are at most so many, with their texts.
 * Offsets of many bytes are round in base two.
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
  const out = [];
  for (let v = Math.ceil(low / step) * step; v <= high; v += step) {
    out.push({ value: v, text: binary ? bytes(v) : whole(v) });
  }
  return out;
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
