// How wide texts are, and how they are made shorter or broken into lines.
//
// A number is written whole or not at all: nothing here cuts one. A name may lose its
// middle, for names of tensors are paths that differ at both ends.
//
// Widths are measured once for a text, and are in proportion to the size of the letters.

/** The letters of the page, and those of pictures that are saved. */
export const PAGE = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
export const PRINT = "Helvetica, Arial, sans-serif";

const AT = 20; // pixels, at which texts are measured
const MOST = 60_000; // texts that are kept
const known = new Map(); // for each family the widths of texts at a pixel
let ruler = null;

/** Returns how wide a text is in letters of one pixel. */
export function widthOf(text, family = PAGE) {
  let widths = known.get(family);
  if (!widths || widths.size > MOST) known.set(family, (widths = new Map()));
  let w = widths.get(text);
  if (w === undefined) {
    ruler ??= document.createElement("canvas").getContext("2d");
    ruler.font = `${AT}px ${family}`;
    w = ruler.measureText(text).width / AT;
    widths.set(text, w);
  }
  return w;
}

const LEAST = 4; // letters that must stay of a name

/** Leaves so many letters of a text, half of them from each end; nothing if they are too few. */
export function shorten(text, letters) {
  if (letters >= text.length) return text;
  if (letters < LEAST) return "";
  const head = Math.ceil(letters / 2);
  // No halves of characters, and no dots before the three.
  return (
    text.slice(0, head).replace(/[\ud800-\udbff]$|[./_:-]+$/, "") +
    "…" +
    text.slice(head - letters).replace(/^[\udc00-\udfff]/, "")
  );
}

/** Shortens a text to a width in pixels, with letters of a size. */
export function cut(text, width, size = 11, family = PAGE) {
  // Letters are hardly narrower than a third of their size, so a long text needs no measuring.
  let end = Math.min(text.length, Math.floor((3 * width) / size) + 1);
  if (end === text.length && widthOf(text, family) * size <= width) return text;
  if (end < text.length) return search(text, end, width / size, family);
  return search(text, end - 1, width / size, family);
}

/** Returns the longest short form of a text, of at most so many letters, that is within a width. */
function search(text, most, width, family) {
  let [low, high] = [LEAST - 1, most];
  while (low < high) {
    const letters = Math.ceil((low + high) / 2);
    if (measure(shorten(text, letters), family) <= width) low = letters;
    else high = letters - 1;
  }
  return shorten(text, low);
}

/** Measures what is not asked for again. */
function measure(text, family) {
  ruler ??= document.createElement("canvas").getContext("2d");
  ruler.font = `${AT}px ${family}`;
  return ruler.measureText(text).width / AT;
}

/**
 * Breaks a name into so many lines, after the dots, slashes and dashes in it, so that the
 * longest line is as short as can be; null if it has too few of them.
 */
export function wrap(text, lines, family = PAGE) {
  const parts = text.match(/[^./_:-]*[./_:-]+|[^./_:-]+$/g) ?? [];
  if (parts.length < lines || parts.length > 12) return null;
  const joined = (from, to) => parts.slice(from, to).join("");
  let best = null;
  let least = Infinity;
  const go = (from, left, out, longest) => {
    if (longest >= least) return;
    if (left === 1) {
      const last = joined(from);
      const w = Math.max(longest, widthOf(last, family));
      if (w < least) [best, least] = [[...out, last], w];
      return;
    }
    for (let to = from + 1; to <= parts.length - left + 1; to++) {
      const line = joined(from, to);
      go(to, left - 1, [...out, line], Math.max(longest, widthOf(line, family)));
    }
  };
  go(0, lines, [], 0);
  return best;
}
