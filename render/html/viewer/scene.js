// What each pane draws: a scene of the document in it, with what is marked, searched for and compared.
//
// A scene is made anew after another mode, search, theme, step or document, never while the window on it moves.

import { FADED, KIND, Palette, borrow, kindsOf } from "./colours.js";
import { meanings, warned } from "./legend.js";

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
    if (side && app.mode === "both" && !["size", "life", "peak"].includes(app.colour))
      borrow(kinds, facts, app.facts(0), app.comparison.toA, app.colour);
    if (app.placed && side === 0) for (let i = 0; i < n; i++) if (!app.placed[i]) kinds[i] += FADED;
    const found = app.found[side];
    const urgent = new Uint8Array(n);
    for (let i = 0; i < n; i++) {
      urgent[i] = facts.owner[i] | facts.topmost[i] | facts.doc.broken[i];
      if (!found) continue;
      urgent[i] = found[i];
      if (!found[i] && kinds[i] < FADED) kinds[i] += FADED;
      // All that is found has one colour, which nothing else has; a group has its own.
      else if (found[i] && !app.group && !app.marking && kinds[i] < FADED && kinds[i] !== KIND.broken)
        kinds[i] = KIND.found;
    }
    const plot = app.plots[side];
    plot.scene = {
      facts,
      offsets: facts.shown,
      kinds,
      urgent,
      palette: app.palette,
      placed: side === 0 ? app.placed : null,
      grouped: Boolean(found) && Boolean(app.group),
      version: app.version,
      peaks: facts.load.peaks(),
      legend: [...meanings(app).entries, ...warned(app)],
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

/** The lines across a pane. */
function marksOf({ doc, height, offsets, bound }) {
  const marks = [];
  if (doc.lanes) {
    for (const { name, at, scale, capacity, room, height: top } of doc.lanes) {
      const mark = (what, bytes, colour, dash) =>
        marks.push({ name: name ? `${name} ${what}` : what, value: at + bytes * scale, bytes, colour, dash });
      if (capacity && capacity <= room) mark("capacity", capacity, "capacity", [7, 4]);
      if (top) mark("height", top, "height", []);
    }
    return marks;
  }
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

/**
 * Says what there is to see: all times, and offsets up to the highest of the plans shown.
 * While a search is played back it is the highest that will be shown. keep leaves the window
 * where it is, unless it shows all.
 */
export function extent(app, keep = false) {
  const seen = app.sides.map((side) => app.facts(side));
  const played = app.playing;
  let top = Math.max(
    1,
    ...seen.map((f, side) =>
      Math.max(
        f.drawn,
        f.offsets ? f.bound : f.load.peak,
        ...(played === "search" && side === 0 ? f.doc.steps.map((s) => (s.offsets ? s.height : 0)) : []),
        played === "moves" && side === 0 ? app.playback.story.top : 0,
      ),
    ),
  );
  const span = app.session?.span;
  if (span && !seen[0].doc.lanes) top = Math.max(top, span.top);
  for (const { doc } of seen) if (doc.capacity && doc.capacity < 2 * top) top = Math.max(top, doc.capacity);
  const lower = span?.lower ?? Math.min(...seen.map((f) => f.lower));
  const upper = span?.upper ?? Math.max(...seen.map((f) => f.upper));
  const { whole } = app.view;
  if (keep && whole.t0 === lower && whole.y1 === Math.max(top, 1) * 1.04) return;
  app.view.setWhole(lower, upper, top, keep);
}
