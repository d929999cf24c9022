// Paints the pieces of a plan into pixels.
//
// Idea: the pieces of a plan do not overlap, so all of them together are never more than the pixels of the picture, and
// writing them into an array costs a few milliseconds for a hundred thousand: a thousand times less than a call of the
// canvas for each. WebGL was not used: it is not there on every machine, is slow without a graphics card, and cannot be
// looked at in a test without one.
//
// Level of detail: every piece takes one pixel each way at least. Where many share one,
// those are painted last, two pixels wide, that must not be missed: the owners of the
// peak, what ends at the height, what breaks a rule, and what was searched for.
//
// A pan by whole pixels moves what is there and paints the strips that come into sight. For that, a place on the time
// axis falls on the same column whatever the window: floor(time × scale), counted from one origin.
//
// Complexity: O(pixels + pieces in sight), a look at each block of 256 pieces aside.

/**
 * What is painted.
 * @typedef {object} Scene
 * @property {import("./facts.js").Facts} facts
 * @property {Float64Array} offsets
 * @property {Uint8Array} kinds      of each buffer, for the palette
 * @property {Uint8Array} urgent     1 for each buffer that must not be missed
 * @property {import("./colours.js").Palette} palette
 * @property {boolean} grouped       whether those urgent are the group that was chosen
 * @property {number} version        another one for another picture
 */

export class Raster {
  constructor() {
    this.canvas = document.createElement("canvas");
    this.width = this.height = 0;
    this.last = null; // the scale, the origin and the version of what is there
    this.cost = 0; // milliseconds that it took to paint all of it
  }

  #resize(width, height) {
    if (this.width === width && this.height === height) return;
    this.width = this.canvas.width = width;
    this.height = this.canvas.height = height;
    this.context = this.canvas.getContext("2d", { willReadFrequently: true });
    this.image = this.context.createImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.last = null;
  }

  /** Paints the window of a scene in so many pixels. */
  draw(scene, view, width, height) {
    this.#resize(width, height);
    const kx = width / (view.t1 - view.t0);
    const ky = height / (view.y1 - view.y0);
    const ox = -Math.round(view.t0 * kx);
    const oy = -Math.round(view.y0 * ky);
    const now = { kx, ky, ox, oy, version: scene.version };
    const { last } = this;
    this.last = now;
    const dx = last ? ox - last.ox : 0;
    const dy = last ? last.oy - oy : 0; // rows count downwards
    const movable =
      last &&
      last.kx === kx &&
      last.ky === ky &&
      last.version === now.version &&
      Math.abs(dx) < width &&
      Math.abs(dy) < height;
    if (movable) {
      if (dx === 0 && dy === 0) return;
      this.#move(dx, dy);
      if (dx) this.#paint(scene, now, dx > 0 ? 0 : width + dx, 0, dx > 0 ? dx : width, height);
      if (dy) this.#paint(scene, now, 0, dy > 0 ? 0 : height + dy, width, dy > 0 ? dy : height);
    } else {
      const began = performance.now();
      this.#paint(scene, now, 0, 0, width, height);
      this.cost = performance.now() - began;
    }
    this.context.putImageData(this.image, 0, 0);
  }

  /**
   * Returns where in a window the picture that is there belongs, as parts of it: left,
   * top, right and bottom. It is for a window that changes faster than a million pieces
   * are painted. Null where there is no picture of the scene.
   */
  placed(scene, view) {
    const { last, width, height } = this;
    if (!last || last.version !== scene.version) return null;
    const t = (x) => ((x - last.ox) / last.kx - view.t0) / (view.t1 - view.t0);
    const y = (row) => 1 - ((height - row - last.oy) / last.ky - view.y0) / (view.y1 - view.y0);
    return [t(0), y(0), t(width), y(height)];
  }

  /** Moves the picture by whole pixels; what comes into sight is left as it is. */
  #move(dx, dy) {
    const { pixels, width, height } = this;
    const from = Math.max(0, -dx);
    const many = width - Math.abs(dx);
    const row = (y) => {
      const source = (y - dy) * width + from;
      pixels.copyWithin(y * width + Math.max(0, dx), source, source + many);
    };
    if (dy > 0) for (let y = height - 1; y >= dy; y--) row(y);
    else for (let y = 0; y < height + dy; y++) row(y);
  }

  /** Paints what is within the columns [x0, x1) and the rows [y0, y1). */
  #paint(scene, scale, x0, y0, x1, y1) {
    const { pixels, width } = this;
    for (let y = y0; y < y1; y++) pixels.fill(0, y * width + x0, y * width + x1);
    if (!scene.offsets) return;
    const clip = { x0, y0, x1, y1 };
    const { pieces } = scene.facts;
    // What is widened reaches two pixels out.
    const lower = (x0 - 3 - scale.ox) / scale.kx;
    const upper = (x1 + 3 - scale.ox) / scale.kx;
    const late = [];
    pieces.blocks(lower, upper, (from, to) => this.#run(scene, scale, clip, from, to, late));
    this.#urgent(scene, scale, clip, late);
  }

  /** Paints the pieces [from, to), and notes those that are urgent and small. */
  #run(scene, scale, clip, from, to, late) {
    const { pixels, width, height } = this;
    const { facts, offsets, kinds, urgent, palette } = scene;
    const { buffer, lower, upper, from: low, to: high } = facts.pieces;
    const { kx, ky, ox, oy } = scale;
    const bottom = height - oy;
    for (let k = from; k < to; k++) {
      let x1 = Math.floor(upper[k] * kx) + ox;
      if (x1 < clip.x0 - 1) continue;
      const i = buffer[k];
      const base = offsets[i];
      let y1 = bottom - Math.floor((base + low[k]) * ky);
      if (y1 <= clip.y0) continue;
      let y0 = bottom - Math.floor((base + high[k]) * ky);
      if (y0 > clip.y1) continue;
      let x0 = Math.floor(lower[k] * kx) + ox;
      if (x0 === x1) x1++;
      if (y0 === y1) y0--;
      if (urgent[i] && (x1 - x0 < 2 || y1 - y0 < 2)) {
        late.push(k);
        continue;
      }
      const edged = x1 - x0 > 3 && y1 - y0 > 3;
      const right = x1 - 1; // where the edges are, which may be out of sight
      const topmost = y0;
      if (x0 < clip.x0) x0 = clip.x0;
      if (x1 > clip.x1) x1 = clip.x1;
      if (y0 < clip.y0) y0 = clip.y0;
      if (y1 > clip.y1) y1 = clip.y1;
      if (x0 >= x1 || y0 >= y1) continue;
      const colour = palette.fill[kinds[i]];
      if (x1 - x0 < 16) {
        for (let y = y0; y < y1; y++) {
          for (let p = y * width + x0, end = y * width + x1; p < end; p++) pixels[p] = colour;
        }
      } else {
        for (let y = y0; y < y1; y++) pixels.fill(colour, y * width + x0, y * width + x1);
      }
      if (!edged) continue;
      const edge = palette.edge[kinds[i]];
      if (topmost === y0) pixels.fill(edge, y0 * width + x0, y0 * width + x1);
      if (right === x1 - 1) for (let y = y0; y < y1; y++) pixels[y * width + right] = edge;
    }
  }

  /** Paints small pieces that must not be missed, two pixels each way. */
  #urgent(scene, scale, clip, late) {
    const { pixels, width, height } = this;
    const { facts, offsets, kinds, palette, grouped } = scene;
    const { buffer, lower, upper, from: low, to: high } = facts.pieces;
    const { kx, ky, ox, oy } = scale;
    for (const k of late) {
      const i = buffer[k];
      let x0 = Math.floor(lower[k] * kx) + ox;
      let x1 = Math.max(x0 + 2, Math.floor(upper[k] * kx) + ox);
      let y1 = height - oy - Math.floor((offsets[i] + low[k]) * ky);
      let y0 = Math.min(y1 - 2, height - oy - Math.floor((offsets[i] + high[k]) * ky));
      x0 = Math.max(x0, clip.x0);
      x1 = Math.min(x1, clip.x1);
      y0 = Math.max(y0, clip.y0);
      y1 = Math.min(y1, clip.y1);
      // Two pixels of a pastel are lost among thousands that are faint.
      const colour = (grouped ? palette.edge : palette.fill)[kinds[i]];
      for (let y = y0; y < y1; y++) {
        for (let p = y * width + x0; p < y * width + x1; p++) pixels[p] = colour;
      }
    }
  }
}
