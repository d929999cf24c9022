// Text for people: names of buffers and files come from outside. A control character in a name
// could colour a terminal, and one that changes the direction of writing makes a line read as
// another one. Texts show such characters as \x1b and \u202e. Package internal/shown of the
// command does the same, and a test compares the two. Data keeps its names as they are.

/** Controls, changes of direction, separators of lines, marks without width, and tags. */
const HIDDEN = new RegExp(
  "[\\0-\\x1f\\x7f-\\x9f\\xad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff" +
    "\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]",
  "gu",
);

const NAMED = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function written(c) {
  const code = c.codePointAt(0);
  const hex = (digits) => code.toString(16).padStart(digits, "0");
  if (code < 0x80) return `\\x${hex(2)}`;
  return code > 0xffff ? `\\U${hex(8)}` : `\\u${hex(4)}`;
}

/** Returns a text of one line as it is shown. */
export const shownText = (text) => String(text).replace(HIDDEN, (c) => NAMED[c] ?? written(c));

/** Returns a text of several lines as it is shown: line feeds and tabs stay. */
export const shownLines = (text) => String(text).replace(HIDDEN, (c) => (c === "\n" || c === "\t" ? c : written(c)));
