// What pointers, wheels and keys do to a pane.
//
//   drag              moves the window          wheel        zooms where the pointer is
//   Shift and drag    zooms to a box            Shift+wheel  in time only, Alt+wheel in offset only
//   two fingers       move and zoom             click        selects; twice, zooms to the buffer
//
// On the axes the wheel zooms that axis alone. Moves are by whole pixels of the screen,
// so that the picture can be moved rather than painted (raster.js).

const CLICK = 4; // pixels that a click may stray

export function gestures(plot, hooks) {
  const { canvas } = plot;
  const hand = new Hand(plot, hooks);
  canvas.addEventListener("pointerdown", (event) => hand.down(event));
  canvas.addEventListener("pointermove", (event) => hand.move(event));
  canvas.addEventListener("pointerup", (event) => hand.end(event));
  canvas.addEventListener("pointercancel", (event) => hand.end(event));
  canvas.addEventListener("pointerleave", () => hooks.hover(-1));
  canvas.addEventListener("wheel", (event) => hand.wheel(event), { passive: false });
  canvas.addEventListener("dblclick", (event) => hand.twice(event));
  canvas.addEventListener("keydown", (event) => key(plot, hooks, event));
}

/** The fingers on a pane, or the pointer, and what they are about. */
class Hand {
  constructor(plot, hooks) {
    this.plot = plot;
    this.view = plot.view;
    this.hooks = hooks;
    this.pointers = new Map();
    this.began = null; // where a drag began
    this.box = null; // the box that is drawn
    this.pinch = null; // the distance and the middle of two fingers
    this.rest = 0;
  }

  #at(event) {
    const r = this.plot.canvas.getBoundingClientRect();
    return { x: event.clientX - r.left, y: event.clientY - r.top };
  }

  /** Where a point is in the window, in parts of it. */
  #parts({ x, y }) {
    const f = this.plot.frame;
    return [(x - f.left) / f.width, (f.top + f.height - y) / f.height];
  }

  /** Says that the window moves, until it has not for a moment. */
  #moving(zooms) {
    const { plot } = this;
    plot.moving = true;
    plot.zooming ||= zooms;
    clearTimeout(this.rest);
    this.rest = setTimeout(() => {
      plot.moving = plot.zooming = false;
      this.hooks.redraw();
    }, 120);
  }

  #panBy(dx, dy) {
    const f = this.plot.frame;
    const ratio = window.devicePixelRatio || 1;
    const step = (d) => Math.round(d * ratio) / ratio;
    this.#moving(false);
    this.view.pan(-step(dx) / f.width, step(dy) / f.height);
  }

  down(event) {
    if (event.button > 0) return;
    const { canvas } = this.plot;
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    const p = this.#at(event);
    this.pointers.set(event.pointerId, p);
    if (this.pointers.size === 1) {
      this.began = { ...p, moved: false, boxed: event.shiftKey };
    } else {
      this.began = null;
      this.pinch = spread([...this.pointers.values()]);
    }
    this.hooks.hover(-1);
  }

  move(event) {
    const { plot, pointers, began } = this;
    const p = this.#at(event);
    const before = pointers.get(event.pointerId);
    if (!before) {
      this.hooks.hover(plot.hit(p.x, p.y), event, plot.toTime(p.x), plot.toOffset(p.y));
      return;
    }
    pointers.set(event.pointerId, p);
    if (this.pinch && pointers.size === 2) {
      this.#pinched(spread([...pointers.values()]));
      return;
    }
    if (!began) return;
    if (!began.moved && Math.hypot(p.x - began.x, p.y - began.y) < CLICK) return;
    began.moved = true;
    if (began.boxed) {
      this.box = {
        x0: Math.min(p.x, began.x),
        y0: Math.min(p.y, began.y),
        x1: Math.max(p.x, began.x),
        y1: Math.max(p.y, began.y),
      };
      this.hooks.box(this.box);
    } else {
      this.#panBy(p.x - before.x, p.y - before.y);
    }
  }

  #pinched(now) {
    const { pinch } = this;
    const [pt, py] = this.#parts(now);
    this.#moving(true);
    this.view.zoom(pinch.width / now.width, pinch.height / now.height, pt, py);
    this.#panBy(now.x - pinch.x, now.y - pinch.y);
    this.pinch = now;
  }

  end(event) {
    const { plot, box, began } = this;
    const p = this.pointers.get(event.pointerId);
    if (!p) return;
    this.pointers.delete(event.pointerId);
    if (box) {
      this.view.set(plot.toTime(box.x0), plot.toTime(box.x1), plot.toOffset(box.y1), plot.toOffset(box.y0));
      this.hooks.box(null);
    } else if (began && !began.moved && event.type === "pointerup") {
      this.hooks.select(plot.hit(p.x, p.y));
    }
    this.box = this.began = this.pinch = null;
  }

  wheel(event) {
    event.preventDefault();
    this.#moving(true);
    const p = this.#at(event);
    const f = this.plot.frame;
    const lines = event.deltaMode === 1 ? 30 : 1;
    const delta = (event.deltaY || event.deltaX) * lines;
    const factor = Math.exp(Math.max(-240, Math.min(240, delta)) / 400);
    const onOffsets = p.x < f.left || event.altKey;
    const onTimes = p.y > f.top + f.height || event.shiftKey;
    const [pt, py] = this.#parts(p).map((part) => Math.max(0, Math.min(1, part)));
    this.view.zoom(onOffsets ? 1 : factor, onTimes ? 1 : factor, pt, py);
  }

  /** Zooms to the buffer that is clicked twice, or to the place where none is. */
  twice(event) {
    const p = this.#at(event);
    const i = this.plot.hit(p.x, p.y);
    if (i >= 0) this.hooks.zoomTo(i);
    else this.view.zoom(0.5, 0.5, ...this.#parts(p));
  }
}

/** Does what a key asks for, with the focus on the pane. */
function key(plot, hooks, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { view } = plot;
  const step = event.shiftKey ? 0.5 : 0.1;
  const keys = {
    ArrowLeft: () => view.pan(-step, 0),
    ArrowRight: () => view.pan(step, 0),
    ArrowUp: () => view.pan(0, step),
    ArrowDown: () => view.pan(0, -step),
    "+": () => view.zoom(0.7, 0.7),
    "=": () => view.zoom(0.7, 0.7),
    "-": () => view.zoom(1 / 0.7, 1 / 0.7),
    Enter: () => hooks.zoomTo(plot.selected),
    Home: () => hooks.first(),
    n: () => hooks.step(1),
    N: () => hooks.step(-1),
  };
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
}

/** The middle of two points and how far apart they are each way, 40 pixels at least. */
function spread([a, b]) {
  return {
    x: (a.x + b.x) / 2,
    y: (a.y + b.y) / 2,
    width: Math.max(40, Math.abs(a.x - b.x)),
    height: Math.max(40, Math.abs(a.y - b.y)),
  };
}
