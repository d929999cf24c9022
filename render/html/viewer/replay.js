// What is shown while a plan is played back: the steps of its search, its buffers one by
// one, or the moves of the search.

import { KIND } from "./colours.js";
import { highOf } from "./data.js";
import { byId as $ } from "./dom.js";
import { Facts } from "./facts.js";
import { extent } from "./scene.js";

/** Shows a step of the search; what moved since the one before is marked. */
export function step(app, now, before) {
  const facts = app.facts(0);
  app.story = null;
  const atEnd = app.playback.at === app.playback.steps.length - 1;
  facts.use(atEnd && facts.doc.offsets ? facts.doc.offsets : now);
  app.marking = app.placed = null;
  app.plots[0].newest = -1;
  if (!atEnd && now && before && $("mark-moves").checked) {
    app.marking = new Uint8Array(facts.doc.n).fill(KIND.same);
    for (let i = 0; i < now.length; i++)
      if (now[i] !== before[i]) app.marking[i] = now[i] < before[i] ? KIND.down : KIND.up;
  }
  if (app.comparison) app.comparison.update();
  extent(app, true);
  app.relist();
  app.repaint();
  app.figures();
}

/**
 * Shows a call of a session: what it changed and moved, with outlines at the old places; or what did not fit, and who is
 * live when the load is too much.
 */
export function change(app, session, at) {
  const { call, before, after, refused } = session.at(at);
  app.files = (before ? [before, after] : [after]).map((doc) => new Facts(doc));
  app.choose(0, before ? 1 : -1, true);
  const facts = app.facts(before ? 1 : 0);
  for (const plot of app.plots) plot.outlined = plot.left = [];
  if (before) {
    const { toA, toB, ghostB } = app.comparison;
    const { lower, upper, offsets } = before;
    app.plots[1].left = Array.from(toB, (j, i) =>
      j < 0 ? [lower[i], upper[i], offsets[i], offsets[i] + highOf(before, i)] : null,
    )
      .filter(Boolean)
      .slice(0, 60);
    const news = (i) =>
      toA[i] < 0 ||
      ghostB[i] !== after.offsets[i] ||
      before.size[toA[i]] !== after.size[i] ||
      before.lower[toA[i]] !== after.lower[i] ||
      before.upper[toA[i]] !== after.upper[i];
    app.plots[1].outlined = Array.from(after.lower, (_, i) => i)
      .filter(news)
      .slice(0, 60);
  } else if (refused !== undefined) {
    const top = after.offsets[refused];
    facts.use(after.offsets.map((y, i) => (i === refused ? -highOf(after, i) : y))); // it has no place in the plan
    facts.offsets = facts.shown = after.offsets;
    facts.above = top + highOf(after, refused);
    app.marking = new Uint8Array(after.n).fill(KIND.plain);
    const over = call.over;
    const there = (i) => !call.in || call.in.includes(after.lane[i]);
    for (let i = 0; over !== undefined && i < after.n; i++)
      if (there(i) && after.lower[i] <= over && over < after.upper[i]) app.marking[i] = KIND.peak;
    app.marking[refused] = KIND.broken;
    app.refused = over !== undefined ? "load" : "other";
    app.plots[0].outlined = [refused];
    extent(app, true);
    app.relist();
    app.figures();
  }
  app.repaint();
}

/** Shows the plan with so many of its buffers placed; the last of them is outlined. */
export function build(app, order, at) {
  const facts = app.facts(0);
  if (facts.shown !== facts.doc.offsets) facts.use(facts.doc.offsets);
  const legend = Boolean(app.marking);
  app.marking = app.story = null;
  if (legend) app.figures();
  app.placed = at < order.length ? new Uint8Array(facts.doc.n) : null;
  for (let k = 0; app.placed && k < at; k++) app.placed[order[k]] = 1;
  app.plots[0].newest = app.placed && at ? order[at - 1] : -1;
  extent(app, true);
  app.repaint();
}

/**
 * Shows what is placed after some moves of the search: what stays, what will be taken
 * back, and what the last move has taken back, where it was. Without a story it shows
 * the plan.
 */
export function moves(app, story) {
  const facts = app.facts(0);
  const first = app.story !== story;
  app.story = story;
  app.placed = null;
  if (!story) {
    facts.use(facts.doc.offsets);
    app.table.update();
    app.marking = null;
    app.plots[0].newest = -1;
    extent(app, true);
    app.repaint();
    app.figures();
    return;
  }
  const offsets = story.offsets.slice();
  const kinds = new Uint8Array(facts.doc.n);
  for (let i = 0; i < kinds.length; i++) if (story.by[i] >= 0) kinds[i] = story.stays(i) ? KIND.stays : KIND.tried;
  for (const { i, offset } of story.gone) {
    offsets[i] = offset;
    kinds[i] = KIND.back;
  }
  if (first) extent(app, true);
  facts.shown = offsets; // what is said of the plan stays the plan's
  app.marking = kinds;
  app.table.update();
  app.plots[0].newest = story.newest >= 0 ? story.newest : (story.gone.at(-1)?.i ?? -1);
  app.repaint();
  if (first) app.figures();
}
