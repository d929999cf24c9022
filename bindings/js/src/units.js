// Reads sizes and times as people write them: 1.5MiB, 64k, 10s, 1h30m. The command reads them
// the same way (package internal/units), and a test compares the two.

export const LEAST = -(2n ** 63n);
export const MOST = 2n ** 63n - 1n;

/** The largest exponent: a size above 2^63 is refused anyway. */
const LARGEST_POWER = 40;

/**
 * Returns a size as a BigInt. It takes a whole number, a BigInt, or text with a unit: k is
 * binary, and kB is not. It returns null for anything else, also for a size that is not whole or
 * takes more than 63 bits.
 */
export function sizeOf(value) {
  if (typeof value === "bigint") return value >= LEAST && value <= MOST ? value : null;
  if (Number.isSafeInteger(value)) return BigInt(value);
  if (typeof value !== "string") return null;
  const m = /^([+-]?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?\s*(?:([kmgt])(i?b)?|b)?$/i.exec(value.trim());
  if (!m) return null;
  const [, sign, whole, part = "", power = "0", letter, tail] = m;
  if (Math.abs(Number(power)) > LARGEST_POWER) return null;
  const unit = letter
    ? (tail?.toLowerCase() === "b" ? 1000n : 1024n) ** BigInt("kmgt".indexOf(letter.toLowerCase()) + 1)
    : 1n;
  let above = BigInt(whole + part) * unit;
  const below = Number(power) - part.length;
  if (below >= 0) above *= 10n ** BigInt(below);
  else if (above % 10n ** BigInt(-below)) return null;
  else above /= 10n ** BigInt(-below);
  if (sign === "-") above = -above;
  return above >= LEAST && above <= MOST ? above : null;
}

/** Milliseconds of each unit of time. */
const TIMES = { ns: 1e-6, us: 1e-3, µs: 1e-3, μs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/**
 * Returns a time in milliseconds. It takes a number of seconds, or text with seconds or units.
 * It returns NaN for anything else, and for a time below 0.
 */
export function timeOf(value) {
  if (typeof value === "number") return value >= 0 ? value * 1000 : NaN;
  if (typeof value !== "string") return NaN;
  const text = value.trim();
  if (/^\+?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text)) return Number(text) * 1000;
  if (!/^\+?(?:(?:\d+\.?\d*|\.\d+)\s*(?:ns|us|µs|μs|ms|s|m|h)\s*)+$/.test(text)) return NaN;
  let sum = 0;
  for (const [, number, unit] of text.matchAll(/(\d+\.?\d*|\.\d+)\s*(ns|us|µs|μs|ms|s|m|h)/g))
    sum += Number(number) * TIMES[unit];
  return sum;
}
