// Pictures to keep: what the window shows, as PNG, SVG or PDF, always in light colours, for paper.
//
// Up to so many pieces each is a rectangle. Where there are more, those are drawn as an
// image of pixels that is four times as fine as the screen, and only the axes, lines and
// letters stay vectors: a file of a million rectangles opens nowhere.

import { Palette, hex } from "./colours.js";
import { SVG, PDF } from "./paper.js";
import { Raster } from "./raster.js";
import { LINE, labelsOf, roomFor } from "./labels.js";
import { PRINT, cut, shorten, widthOf } from "./letters.js";
import { both, count, percent, ticks } from "./numbers.js";
import { marksIn, takenBy } from "./plot.js";

const MOST = 20_000; // rectangles
const [WIDTH, HEIGHT] = [1200, 720];
const INK = "#14181e";
const FAINT = "#5c6673";
const MARKS = { capacity: "#c2361f", height: "#2456a6", bound: "#1f7a4d" };

/** Saves what a plot shows under a name. */
export async function save(kind, plot, name) {
  const paper =
    kind === "svg" ? new SVG(WIDTH, HEIGHT) : kind === "pdf" ? new PDF(WIDTH, HEIGHT) : new Pixels(WIDTH, HEIGHT);
  drawOn(paper, plot);
  const blob = await paper.blob();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${name.replace(/[^\w.-]+/g, "-") || "plan"}.${kind}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  return blob;
}

/** A canvas with the calls of a paper, twice as fine. */
class Pixels {
  constructor(width, height) {
    this.canvas = document.createElement("canvas");
    this.canvas.width = 2 * width;
    this.canvas.height = 2 * height;
    this.c = this.canvas.getContext("2d");
    this.c.scale(2, 2);
  }

  rect(x, y, w, h, fill, stroke) {
    this.c.fillStyle = fill;
    this.c.fillRect(x, y, w, h);
    if (!stroke) return;
    this.c.strokeStyle = stroke;
    this.c.lineWidth = 0.6;
    this.c.strokeRect(x, y, w, h);
  }

  line(x0, y0, x1, y1, colour, width = 1, dash = []) {
    this.c.strokeStyle = colour;
    this.c.lineWidth = width;
    this.c.setLineDash(dash);
    this.c.beginPath();
    this.c.moveTo(x0, y0);
    this.c.lineTo(x1, y1);
    this.c.stroke();
    this.c.setLineDash([]);
  }

  text(x, y, text, size, colour, { anchor = "start", bold = false, upright = false } = {}) {
    this.c.save();
    this.c.font = `${bold ? "bold " : ""}${size}px ${PRINT}`;
    this.c.fillStyle = colour;
    this.c.textAlign = anchor === "middle" ? "center" : anchor;
    this.c.translate(x, y);
    if (upright) this.c.rotate(-Math.PI / 2);
    this.c.fillText(text, 0, 0);
    this.c.restore();
  }

  image(x, y, w, h, canvas) {
    this.c.imageSmoothingEnabled = false;
    this.c.drawImage(canvas, x, y, w, h);
  }

  blob() {
    return new Promise((resolve) => this.canvas.toBlob(resolve, "image/png"));
  }
}

function drawOn(paper, plot) {
  const { scene, view } = plot;
  const { facts } = scene;
  const { doc } = facts;
  const palette = new Palette(false);
  const below = scene.legend.length ? 78 : 54;
  const frame = (room) => ({ left: 92, top: 84 + room, width: WIDTH - 92 - 24, height: HEIGHT - 84 - room - below });
  const toYIn = (f, y0, y1) => (y) => f.top + f.height - ((y - y0) / (y1 - y0)) * f.height;
  const room = roomFor(
    scene,
    view,
    (room) => {
      const f = frame(room);
      return { f, taken: takenBy(marksIn(plot.marks, f, toYIn(f, view.whole.y0, view.whole.y1), PRINT), f) };
    },
    PRINT,
  );
  const f = frame(room);
  const toX = (t) => f.left + ((t - view.t0) / (view.t1 - view.t0)) * f.width;
  const toY = toYIn(f, view.y0, view.y1);
  paper.rect(0, 0, WIDTH, HEIGHT, "#ffffff");
  paper.text(24, 32, cut(doc.title, 1100, 18, PRINT), 18, INK, { bold: true });
  paper.text(24, 52, headline(facts), 12, doc.warning ? MARKS.capacity : FAINT);

  for (const tick of ticks(view.y0, view.y1, 12, view.whole.y1 >= 65536)) {
    const y = toY(tick.value);
    paper.line(f.left, y, f.left + f.width, y, "#e3e7ec");
    paper.text(f.left - 8, y + 4, tick.text, 11, FAINT, { anchor: "end" });
  }
  for (const tick of ticks(view.t0, view.t1, 12, false)) {
    const x = toX(tick.value);
    paper.line(x, f.top, x, f.top + f.height, "#e3e7ec");
    paper.text(x, f.top + f.height + 18, tick.text, 11, FAINT, { anchor: "middle" });
  }
  const places = marksIn(plot.marks, f, toY, PRINT);
  if (facts.offsets) {
    pieces(paper, { ...scene, palette }, view, f, toX, toY);
    labels(paper, labelsOf(scene, view, f, { room, taken: takenBy(places, f), family: PRINT }).labels, (i) =>
      palette.ink(scene.kinds[i]),
    );
  }
  for (const { mark, y, text, box } of places) {
    paper.line(f.left, y, f.left + f.width, y, MARKS[mark.colour], 1.2, mark.dash);
    if (box) paper.text(box[2] - 4, box[3] - 2.5, text, 11, MARKS[mark.colour], { anchor: "end" });
  }
  paper.line(f.left, f.top, f.left, f.top + f.height, INK);
  paper.line(f.left, f.top + f.height, f.left + f.width, f.top + f.height, INK);
  paper.text(f.left + f.width / 2, f.top + f.height + 40, "time", 12, INK, { anchor: "middle" });
  paper.text(24, 84 - 10, "offset", 12, INK);
  let x = f.left;
  for (const { kind, text } of scene.legend) {
    const name = shorten(text, 24);
    paper.rect(x, HEIGHT - 24, 11, 11, hex(palette.fills[kind]), hex(palette.fills[kind].map((v) => Math.round(v * 0.6))));
    paper.text(x + 16, HEIGHT - 14.5, name, 11, INK);
    x += 16 + 11 * widthOf(name, PRINT) + 18;
  }
}

/** Says what there is to say of a plan, as much of it as fits whole into a line. */
function headline({ doc, load, offsets, height, bound }) {
  const said = [count(doc.n, "buffer"), `peak load ${both(load.peak)}`];
  if (offsets) {
    said.push(`height ${both(height)}`);
    if (bound && height === bound) said.push("no plan is lower");
    else if (bound) said.push(`${percent(height / bound - 1)} above the bound`);
  }
  const fits = (text) => 12 * widthOf(text, PRINT) <= 1150;
  if (doc.warning) {
    const text = "INVALID: " + doc.warning;
    if (fits(text)) return text;
    said.unshift("INVALID");
  }
  while (said.length > 1 && !fits(said.join(" · "))) said.pop();
  return said.join(" · ");
}

function labels(paper, all, inkOf) {
  for (const { leader } of all) {
    if (!leader) continue;
    const [x0, y0, x1, y1] = leader;
    paper.line(x0, y0, x1, y1, INK, 0.7);
    paper.rect(x1 - 1.3, y1 - 1.3, 2.6, 2.6, INK);
  }
  for (const { buffer, kind, lines, x, y, size, upright, leader, boxed } of all) {
    if (boxed) paper.rect(boxed[0], boxed[1], boxed[2] - boxed[0], boxed[3] - boxed[1], "#ffffff", "#8a94a1");
    const colour = leader ? INK : kind === "size" ? "#3c4653" : opaque(inkOf(buffer));
    lines.forEach((text, k) => {
      const down = (k - (lines.length - 1) / 2) * size * LINE + 0.35 * size;
      const [px, py] = upright ? [x + down, y] : [x, y + down];
      paper.text(px, py, text, size, colour, { anchor: "middle", upright });
    });
  }
}

/** rgb(16 20 26) as #10141a. */
function opaque(colour) {
  return hex(colour.match(/\d+/g).map(Number));
}

function pieces(paper, scene, view, f, toX, toY) {
  const { facts, offsets, kinds, palette, placed } = scene;
  const { pieces } = facts;
  const seen = [];
  pieces.live(view.t0, view.t1, (k) => {
    const base = offsets[pieces.buffer[k]];
    if (base + pieces.to[k] > view.y0 && base + pieces.from[k] < view.y1) seen.push(k);
  });
  if (seen.length > MOST) {
    const raster = new Raster();
    raster.draw(scene, view, 4 * f.width, 4 * f.height);
    paper.image(f.left, f.top, f.width, f.height, raster.canvas);
    return;
  }
  for (const k of seen) {
    const i = pieces.buffer[k];
    if (placed && !placed[i]) continue;
    const x0 = toX(Math.max(pieces.lower[k], view.t0));
    const x1 = toX(Math.min(pieces.upper[k], view.t1));
    const y0 = toY(Math.min(offsets[i] + pieces.to[k], view.y1));
    const y1 = toY(Math.max(offsets[i] + pieces.from[k], view.y0));
    const [w, h] = [Math.max(x1 - x0, 0.5), Math.max(y1 - y0, 0.5)];
    const fill = palette.fills[kinds[i]];
    paper.rect(x0, y0, w, h, hex(fill), Math.min(w, h) > 3 ? hex(fill.map((v) => Math.round(v * 0.6))) : "");
  }
}
