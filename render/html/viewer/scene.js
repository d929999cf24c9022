// What each pane draws: a scene of the document in it, with what is marked, searched for
// and compared.
//
// A scene is made anew after another mode, search, theme, step or document, never while
// the window on it moves.

import { KIND, FADED, Palette, kindsOf } from "./colours.js";
import { MOVE } from "./moves.js";

/** Makes the scenes of all panes, and gives them to who draws. */
export function scenes(app) {
  app.palette = new Palette(app.theme.dark);
  app.version++;
  for (const side of app.sides) {
    const facts = app.facts(side);
    const { n } = facts.doc;
    let kinds;
    if (app.marking && side === 0) kinds = app.marking.slice();
    else if (app.comparison && app.mode === "diff")
      kinds = (side ? app.comparison.kindsB : app.comparison.kindsA).slice();
    else kinds = kindsOf(facts, app.colour);
    if (side && app.mode === "both" && app.colour === "buffer") borrow(app, kinds);
    if (app.placed && side === 0) for (let i = 0; i < n; i++) if (!app.placed[i]) kinds[i] += FADED;
    const found = app.found[side];
    const urgent = new Uint8Array(n);
    for (let i = 0; i < n; i++) {
      urgent[i] = facts.owner[i] | facts.topmost[i] | facts.doc.broken[i];
      if (!found) continue;
      urgent[i] = found[i];
      if (!found[i] && kinds[i] < FADED) kinds[i] += FADED;
    }
    const plot = app.plots[side];
    plot.scene = {
      facts,
      offsets: facts.shown,
      kinds,
      urgent,
      palette: app.palette,
      searched: Boolean(found),
      version: app.version,
      peaks: facts.load.peaks(),
    };
    plot.marks = marksOf(facts);
    if (app.story?.asked && side === 0 && app.story.asked !== facts.doc.capacity)
      plot.marks.push({ name: "asked for", value: app.story.asked, colour: "capacity", dash: [3, 3] });
    plot.ghost = app.comparison ? (side ? app.comparison.ghostB : app.comparison.ghostA) : null;
    plot.selected = app.selected[side];
  }
  const shown = app.facts(app.listed);
  app.curve.facts = shown;
  app.curve.other = app.comparison ? app.facts(1 - app.listed) : null;
  app.overview.facts = shown;
}

/** Gives the buffers of the second plan the colours that the first has for them. */
function borrow(app, kinds) {
  const first = kindsOf(app.facts(0), "buffer");
  for (let j = 0; j < kinds.length; j++) {
    const i = app.comparison.toA[j];
    if (i >= 0 && kinds[j] < KIND.scale && first[i] < KIND.scale) kinds[j] = first[i];
  }
}

/** The lines across a pane. */
function marksOf({ doc, height, offsets, bound }) {
  const marks = [];
  if (doc.capacity) marks.push({ name: "capacity", value: doc.capacity, colour: "capacity", dash: [7, 4] });
  if (offsets && doc.n)
    marks.push({
      name: bound === height ? "height = lower bound" : "height",
      value: height,
      colour: "height",
      dash: [],
    });
  if (bound && bound !== height) marks.push({ name: "lower bound", value: bound, colour: "bound", dash: [2, 3] });
  return marks;
}

/** Says what there is to see: all times, and offsets up to the highest that is shown or will be. */
export function extent(app) {
  const seen = app.sides.map((side) => app.facts(side));
  let top = Math.max(
    1,
    ...seen.map((f) =>
      Math.max(
        topOf(f.doc),
        f.height,
        f.offsets ? f.bound : f.load.peak,
        ...f.doc.steps.map((s) => (s.offsets ? s.height : 0)),
      ),
    ),
  );
  for (const { doc } of seen) if (doc.capacity && doc.capacity < 2 * top) top = Math.max(top, doc.capacity);
  app.view.setWhole(Math.min(...seen.map((f) => f.lower)), Math.max(...seen.map((f) => f.upper)), top);
}

/** The highest that a search has placed anything, 0 where that was not recorded. */
function topOf({ moves, size }) {
  let top = 0;
  moves?.kind.forEach((kind, k) => {
    if (kind === MOVE.place) top = Math.max(top, moves.offset[k] + size[moves.buffer[k]]);
  });
  return top;
}
