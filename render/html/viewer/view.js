// The window on a plan: which times and offsets are shown. All panes share one.
//
// Invariant: the window lies within the whole, and is at least one slot by one byte. Where numbers are so large that
// JavaScript's have gaps between them, it is at least so wide that its ends and the pixels between differ.

export class View {
  constructor() {
    this.listeners = [];
    this.gutter = 68; // pixels left of each picture, for the texts of the axis; set before drawing
    this.setWhole(0, 1, 1);
  }

  /** Says what there is to see, and shows all of it; or keeps the window, unless it shows all. */
  setWhole(lower, upper, top, keep = false) {
    const stays = keep && !this.isWhole;
    this.whole = { t0: lower, t1: Math.max(upper, lower + 1), y0: 0, y1: Math.max(top, 1) * 1.04 };
    if (stays) this.set(this.t0, this.t1, this.y0, this.y1);
    else this.fit();
  }

  onChange(listener) {
    this.listeners.push(listener);
  }

  fit() {
    this.set(this.whole.t0, this.whole.t1, this.whole.y0, this.whole.y1);
  }

  get isWhole() {
    const w = this.whole;
    return this.t0 === w.t0 && this.t1 === w.t1 && this.y0 === w.y0 && this.y1 === w.y1;
  }

  set(t0, t1, y0, y1) {
    [this.t0, this.t1] = within(t0, t1, this.whole.t0, this.whole.t1);
    [this.y0, this.y1] = within(y0, y1, this.whole.y0, this.whole.y1);
    for (const listener of this.listeners) listener();
  }

  /** Moves by parts of the window. */
  pan(partT, partY) {
    const dt = partT * (this.t1 - this.t0);
    const dy = partY * (this.y1 - this.y0);
    this.set(this.t0 + dt, this.t1 + dt, this.y0 + dy, this.y1 + dy);
  }

  /** Makes the window so many times as large, with the point at these parts of it kept in place. */
  zoom(factorT, factorY, atT = 0.5, atY = 0.5) {
    const t = this.t0 + atT * (this.t1 - this.t0);
    const y = this.y0 + atY * (this.y1 - this.y0);
    this.set(
      t - (t - this.t0) * factorT,
      t + (this.t1 - t) * factorT,
      y - (y - this.y0) * factorY,
      y + (this.y1 - y) * factorY,
    );
  }

  /** Shows a rectangle with some room around it: it has a quarter of the window each way, enough for its name. */
  show(t0, t1, y0, y1, room = 1.5) {
    const dt = Math.max((t1 - t0) * room, 1);
    const dy = Math.max((y1 - y0) * room, 1);
    this.set(t0 - dt, t1 + dt, y0 - dy, y1 + dy);
  }

  /** Moves the window, at its scale, so that a rectangle is in it. */
  reveal(t0, t1, y0, y1) {
    const outside = t1 <= this.t0 || t0 >= this.t1 || y1 <= this.y0 || y0 >= this.y1;
    if (!outside) return;
    const t = (t0 + t1) / 2 - (this.t0 + this.t1) / 2;
    const y = (y0 + y1) / 2 - (this.y0 + this.y1) / 2;
    this.set(this.t0 + t, this.t1 + t, this.y0 + y, this.y1 + y);
  }
}

const FINEST = 2 ** -39; // of a number: 8,192 steps of those that a double can tell apart

/** Returns [a, b) moved, or cut, into [low, high), and no shorter than 1. */
function within(a, b, low, high) {
  const middle = (a + b) / 2;
  const least = Math.max(1, Math.abs(middle) * FINEST);
  if (b - a < least) [a, b] = [middle - least / 2, middle + least / 2];
  if (b - a >= high - low) return [low, high];
  if (a < low) return [low, low + (b - a)];
  if (b > high) return [high - (b - a), high];
  return [a, b];
}
