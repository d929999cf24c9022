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
  const { canvas, view } = plot;
  const pointers = new Map();
  let began = null; // where a drag began
  let box = null; // the box that is drawn
  let pinch = null; // the distance and the middle of two fingers
  let rest = 0;

  const at = (event) => {
    const r = canvas.getBoundingClientRect();
    return { x: event.clientX - r.left, y: event.clientY - r.top };
  };
  const parts = ({ x, y }) => {
    const f = plot.frame;
    return [(x - f.left) / f.width, (f.top + f.height - y) / f.height];
  };
  const moving = (zooms) => {
    plot.moving = true;
    plot.zooming ||= zooms;
    clearTimeout(rest);
    rest = setTimeout(() => {
      plot.moving = plot.zooming = false;
      hooks.redraw();
    }, 120);
  };
  const panBy = (dx, dy) => {
    const f = plot.frame;
    const ratio = window.devicePixelRatio || 1;
    const step = (d) => Math.round(d * ratio) / ratio;
    moving(false);
    view.pan(-step(dx) / f.width, step(dy) / f.height);
  };

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button > 0) return;
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    const p = at(event);
    pointers.set(event.pointerId, p);
    if (pointers.size === 1) {
      began = { ...p, moved: false, boxed: event.shiftKey };
    } else {
      began = null;
      pinch = spread([...pointers.values()]);
    }
    hooks.hover(-1);
  });

  canvas.addEventListener("pointermove", (event) => {
    const p = at(event);
    const before = pointers.get(event.pointerId);
    if (!before) {
      hooks.hover(plot.hit(p.x, p.y), event, plot.toTime(p.x), plot.toOffset(p.y));
      return;
    }
    pointers.set(event.pointerId, p);
    if (pinch && pointers.size === 2) {
      const now = spread([...pointers.values()]);
      const [pt, py] = parts(now);
      moving(true);
      view.zoom(pinch.width / now.width, pinch.height / now.height, pt, py);
      panBy(now.x - pinch.x, now.y - pinch.y);
      pinch = now;
      return;
    }
    if (!began) return;
    if (!began.moved && Math.hypot(p.x - began.x, p.y - began.y) < CLICK) return;
    began.moved = true;
    if (began.boxed) {
      box = {
        x0: Math.min(p.x, began.x),
        y0: Math.min(p.y, began.y),
        x1: Math.max(p.x, began.x),
        y1: Math.max(p.y, began.y),
      };
      hooks.box(box);
    } else {
      panBy(p.x - before.x, p.y - before.y);
    }
  });

  const end = (event) => {
    const p = pointers.get(event.pointerId);
    if (!p) return;
    pointers.delete(event.pointerId);
    if (box) {
      view.set(plot.toTime(box.x0), plot.toTime(box.x1), plot.toOffset(box.y1), plot.toOffset(box.y0));
      hooks.box(null);
    } else if (began && !began.moved && event.type === "pointerup") {
      hooks.select(plot.hit(p.x, p.y));
    }
    box = began = pinch = null;
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("pointerleave", () => hooks.hover(-1));

  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      moving(true);
      const p = at(event);
      const f = plot.frame;
      const lines = event.deltaMode === 1 ? 30 : 1;
      const delta = (event.deltaY || event.deltaX) * lines;
      const factor = Math.exp(Math.max(-240, Math.min(240, delta)) / 400);
      const onOffsets = p.x < f.left || event.altKey;
      const onTimes = p.y > f.top + f.height || event.shiftKey;
      const [pt, py] = parts(p).map((part) => Math.max(0, Math.min(1, part)));
      view.zoom(onOffsets ? 1 : factor, onTimes ? 1 : factor, pt, py);
    },
    { passive: false },
  );

  canvas.addEventListener("dblclick", (event) => {
    const p = at(event);
    const i = plot.hit(p.x, p.y);
    if (i >= 0) hooks.zoomTo(i);
    else view.zoom(0.5, 0.5, ...parts(p));
  });

  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
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
  });
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
