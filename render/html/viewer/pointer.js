// What follows the pointer: the card of the buffer under it, the time and its figures, and
// the box that is drawn to zoom to.

import { byId as $ } from "./dom.js";
import { both, whole } from "./numbers.js";
import * as panel from "./panel.js";

/** Shows what is known of buffer i of a pane, -1 for none, beside the pointer. */
export function hover(app, side, i, event, time, offset) {
  const tip = $("tip");
  app.plots.forEach((plot) => (plot.hover = -1));
  cursor(app, time === undefined ? null : time, offset);
  if (i < 0 || !event) {
    tip.hidden = true;
    return;
  }
  app.plots[side].hover = i;
  if (app.comparison) app.plots[1 - side].hover = (side ? app.comparison.toA : app.comparison.toB)[i];
  panel.card(tip, app.facts(side), i, app.comparison, side === 1);
  tip.hidden = false;
  const { offsetWidth: w, offsetHeight: h } = tip;
  const x = event.clientX + 16 + w > window.innerWidth ? Math.max(4, event.clientX - w - 12) : event.clientX + 16;
  const y = Math.max(4, Math.min(event.clientY + 14, window.innerHeight - h - 6));
  tip.style.transform = `translate(${x}px, ${y}px)`;
}

/** Marks a time in all pictures, null for none, and writes what is in use then. */
export function cursor(app, time, offset) {
  app.curve.cursor = time;
  app.plots.forEach((plot) => (plot.cursor = time));
  const readout = $("readout");
  if (time === null || !app.files.length) readout.textContent = "";
  else {
    const { load, top, waste } = app.facts(app.listed).at(time);
    const plan = app.facts(app.listed).top ? `, plan up to ${both(top)}, unused ${both(waste)}` : "";
    const where =
      offset === undefined || app.facts(app.listed).doc.lanes
        ? ""
        : ` · offset ${whole(Math.max(0, Math.floor(offset)))}`;
    readout.textContent = `time ${whole(Math.floor(time))}${where} · load ${both(load)}${plan}`;
  }
  app.invalidate();
}

/** Draws the box that a drag has opened so far. */
export function box(app, side, opened) {
  const e = $("box");
  e.hidden = !opened;
  if (!opened) return;
  const r = app.plots[side].canvas.getBoundingClientRect();
  Object.assign(e.style, {
    left: `${r.left + opened.x0}px`,
    top: `${r.top + opened.y0}px`,
    width: `${opened.x1 - opened.x0}px`,
    height: `${opened.y1 - opened.y0}px`,
  });
}
