// What the colours of the picture mean: for the legend of the page, and of pictures that are saved.

import { KIND } from "./colours.js";

const STORY = [
  ["stays", "stays"],
  ["tried", "will be taken back"],
  ["back", "taken back just now"],
];
const MARKED = [
  ["down", "lower than before"],
  ["up", "higher than before"],
  ["same", "in place"],
];
const REFUSED = [
  ["broken", "does not fit"],
  ["peak", "live when the load is too much"],
  ["plain", "others"],
];
const DIFFERENCE = [
  ["down", "lower"],
  ["up", "higher"],
  ["same", "in place"],
  ["only", "in one only"],
];
const PEAK = [
  ["peak", "live at the peak"],
  ["top", "ends at the height"],
  ["plain", "others"],
];

/** Returns what the colour of warning means in the plan that is shown; nothing if no buffer has it. */
export function warned(app) {
  const { doc } = app.facts(0);
  if (app.story || app.marking || !doc.broken.includes(1)) return [];
  return [{ kind: KIND.broken, text: doc.conflict ? "cannot fit together" : "breaks a rule" }];
}

/** Returns the kinds that have a meaning now, with it; and whether they are groups of names. */
export function meanings(app) {
  const named = (names) => ({ groups: false, entries: names.map(([name, text]) => ({ kind: KIND[name], text })) });
  if (app.story) return named(STORY);
  if (app.refused) return named(REFUSED.filter(([name]) => name !== "peak" || app.refused === "load"));
  if (app.marking) return named(MARKED);
  if (app.session && app.comparison && app.mode === "diff") return named([...DIFFERENCE.slice(0, 3), ["only", "new"]]);
  if (app.comparison && app.mode === "diff") return named(DIFFERENCE);
  if (app.colour === "peak") return named(PEAK);
  const grouping = app.facts(0).doc.groupings.find(({ by }) => by === app.colour);
  const entries = (grouping?.names ?? []).map((text, k) => ({ kind: KIND.category + k, text }));
  if (grouping?.rest) entries.push({ kind: KIND.plain, text: "others" });
  return { groups: Boolean(grouping), entries };
}
