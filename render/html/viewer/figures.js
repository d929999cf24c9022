// The figures, captions and the legend beside the picture, for what is shown now.

import { KIND, Palette, css } from "./colours.js";
import { byId as $, make } from "./dom.js";
import { meanings, warned } from "./legend.js";
import { shorten } from "./letters.js";
import { both, count, digits, whole } from "./numbers.js";
import * as panel from "./panel.js";

/** Writes all of them anew. */
export function figures(app) {
  const side = app.listed;
  const facts = app.facts(side);
  panel.tiles($("tiles"), facts, app.comparison);
  panel.owners($("owners"), facts, {
    select: (i) => app.select(side, i, true),
    zoomTo: (i) => app.zoomTo(side, i),
  });
  panel.faults($("faults"), facts.doc);
  panel.difference($("difference"), app.comparison);
  const rows = facts.doc.facts.map(([name, value]) =>
    make("tr", "", make("th", "", name), make("td", "", grouped(value))),
  );
  if (facts.doc.rounded)
    rows.push(make("tr", "", make("th", "", "note"), make("td", "", "numbers above 2⁵³ are shown rounded")));
  $("facts").replaceChildren(...rows);
  $("facts-part").hidden = !rows.length;
  const captions = [
    ["pane-a", 0],
    ["pane-b", 1],
  ];
  for (const [id, at] of captions) {
    const of = app.sides.includes(at) ? app.facts(at) : null;
    const diff = app.comparison && app.mode === "diff";
    $(id).hidden = !of || (diff && at === 0);
    const caption = $(id).querySelector("figcaption");
    caption.hidden = !app.comparison;
    if (of)
      caption.replaceChildren(
        make("span", "id", of.doc.title),
        make("span", "", of.offsets ? `, height ${both(of.height)}` : ", no plan"),
      );
    if (of) app.plots[at].canvas.setAttribute("aria-label", label(of));
  }
  document.body.classList.toggle("two", Boolean(app.comparison && app.mode === "both"));
  legend(app);
  // What moved and what is tried have colours of their own.
  $("colour").parentElement.hidden = Boolean(app.marking || (app.comparison && app.mode === "diff"));
}

/** Writes the whole numbers of a text as the rest of the page does. */
function grouped(text) {
  return /^\d+$/.test(text) ? digits(text) : text.replace(/(?<![\w.,/-])\d{4,}(?![\w.,]\d|\w)/g, digits);
}

/** Writes what the colours mean; a click on a group highlights it. */
export function legend(app) {
  $("legend").replaceChildren(...entries(app), ...warned(app).map(({ kind, text }) => swatch(app, kind, text)));
}

/** A colour and what it means. */
function swatch(app, kind, text) {
  const palette = app.palette || new Palette(app.theme.dark);
  const s = make("span", "swatch");
  s.style.background = css(palette.fills[kind]);
  return make("span", "", s, text);
}

function entries(app) {
  const { groups, entries } = meanings(app);
  if (!entries.length && (app.colour === "size" || app.colour === "life")) {
    const ends = app.colour === "size" ? ["small", "large"] : ["short", "long"];
    return [
      make("span", "scale", ends[0]),
      ...Array.from({ length: 16 }, (_, k) => swatch(app, KIND.scale + k, "")),
      make("span", "", ends[1]),
    ];
  }
  if (!groups) return entries.map(({ kind, text }) => swatch(app, kind, text));
  return entries.map(({ kind, text }) => {
    const button = make("button", "entry", swatch(app, kind, shorten(text, 24)));
    button.type = "button";
    button.title = `Show only ${text}`;
    button.setAttribute("aria-pressed", String(app.group === text));
    button.addEventListener("click", () => app.highlight(text));
    return button;
  });
}

/** What a screen reader says of a pane. */
function label(facts) {
  const plan = facts.offsets ? `Plan of height ${whole(facts.height)}` : "No plan";
  return `${facts.doc.title}. ${plan}, ${count(facts.doc.n, "buffer")}, peak load ${whole(facts.load.peak)}. Arrow keys move, plus and minus zoom, n and Shift+n go from buffer to buffer, Enter zooms to the selected one, Home shows all.`;
}
