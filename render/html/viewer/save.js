// Pictures to keep: what the window shows, as PNG, SVG or PDF, always in light colours,
// for paper.
//
// Up to so many pieces each is a rectangle. Where there are more, those are drawn as an
// image of pixels that is four times as fine as the screen, and only the axes, lines and
// letters stay vectors: a file of a million rectangles opens nowhere.

import { Palette, hex } from "./colours.js";
import { SVG, PDF } from "./paper.js";
import { Raster } from "./raster.js";
import { both, bytes, count, percent, ticks, whole } from "./numbers.js";
import { cut } from "./plot.js";

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

  text(x, y, text, size, colour, anchor = "start", bold = false) {
    this.c.font = `${bold ? "bold " : ""}${size}px Helvetica, Arial, sans-serif`;
    this.c.fillStyle = colour;
    this.c.textAlign = anchor === "middle" ? "center" : anchor;
    this.c.fillText(text, x, y);
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
  const f = { left: 84, top: 84, width: WIDTH - 84 - 24, height: HEIGHT - 84 - 54 };
  const toX = (t) => f.left + ((t - view.t0) / (view.t1 - view.t0)) * f.width;
  const toY = (y) => f.top + f.height - ((y - view.y0) / (view.y1 - view.y0)) * f.height;
  paper.rect(0, 0, WIDTH, HEIGHT, "#ffffff");
  paper.text(24, 32, cut(doc.title, 1100), 18, INK, "start", true);
  const said = [count(doc.n, "buffer"), `peak load ${both(facts.load.peak)}`];
  if (facts.offsets) {
    said.push(`height ${both(facts.height)}`);
    if (facts.bound && facts.height === facts.bound) said.push("no plan is lower");
    else if (facts.bound) said.push(`${percent(facts.height / facts.bound - 1)} above the bound`);
  }
  if (doc.warning) said.unshift("INVALID: " + doc.warning);
  paper.text(24, 52, cut(said.join(" · "), 1100), 12, doc.warning ? MARKS.capacity : FAINT);

  for (const tick of ticks(view.y0, view.y1, 12, view.whole.y1 >= 65536)) {
    const y = toY(tick.value);
    paper.line(f.left, y, f.left + f.width, y, "#e3e7ec");
    paper.text(f.left - 8, y + 4, tick.text, 11, FAINT, "end");
  }
  for (const tick of ticks(view.t0, view.t1, 12, false)) {
    const x = toX(tick.value);
    paper.line(x, f.top, x, f.top + f.height, "#e3e7ec");
    paper.text(x, f.top + f.height + 18, tick.text, 11, FAINT, "middle");
  }
  if (facts.offsets) pieces(paper, scene, view, f, toX, toY);
  for (const mark of plot.marks) {
    const y = toY(mark.value);
    if (y < f.top || y > f.top + f.height) continue;
    paper.line(f.left, y, f.left + f.width, y, MARKS[mark.colour], 1.2, mark.dash);
    paper.text(f.left + f.width - 4, y - 4, `${mark.name} ${whole(mark.value)}`, 11, MARKS[mark.colour], "end");
  }
  paper.line(f.left, f.top, f.left, f.top + f.height, INK);
  paper.line(f.left, f.top + f.height, f.left + f.width, f.top + f.height, INK);
  paper.text(f.left + f.width / 2, HEIGHT - 12, "time", 12, INK, "middle");
  paper.text(24, f.top - 10, "offset", 12, INK);
}

function pieces(paper, scene, view, f, toX, toY) {
  const { facts, offsets, kinds } = scene;
  const { pieces, doc } = facts;
  const palette = new Palette(false);
  const seen = [];
  pieces.live(view.t0, view.t1, (k) => {
    const base = offsets[pieces.buffer[k]];
    if (base + pieces.to[k] > view.y0 && base + pieces.from[k] < view.y1) seen.push(k);
  });
  if (seen.length > MOST) {
    const raster = new Raster();
    raster.draw({ ...scene, palette }, view, 4 * f.width, 4 * f.height);
    paper.image(f.left, f.top, f.width, f.height, raster.canvas);
    return;
  }
  for (const k of seen) {
    const i = pieces.buffer[k];
    const x0 = toX(Math.max(pieces.lower[k], view.t0));
    const x1 = toX(Math.min(pieces.upper[k], view.t1));
    const y0 = toY(Math.min(offsets[i] + pieces.to[k], view.y1));
    const y1 = toY(Math.max(offsets[i] + pieces.from[k], view.y0));
    const [w, h] = [Math.max(x1 - x0, 0.5), Math.max(y1 - y0, 0.5)];
    const fill = palette.fills[kinds[i]];
    paper.rect(x0, y0, w, h, hex(fill), Math.min(w, h) > 3 ? hex(fill.map((v) => Math.round(v * 0.6))) : "");
    const id = w > 26 && h > 12 ? cut(doc.id(i), w - 8) : "";
    if (!id) continue;
    const dark = 0.299 * fill[0] + 0.587 * fill[1] + 0.114 * fill[2] > 120;
    paper.text(x0 + 4, (y0 + y1) / 2 + (h > 28 ? -2 : 4), id, 10.5, dark ? "#10141a" : "#ffffff");
    if (h > 28 && w > 44)
      paper.text(x0 + 4, (y0 + y1) / 2 + 11, cut(bytes(doc.size[i]), w - 8), 9.5, dark ? "#10141a" : "#ffffff");
  }
}
