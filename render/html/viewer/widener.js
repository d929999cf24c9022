// The handle between the picture and the panel beside it: a drag, or the arrow keys, make
// the panel wider or narrower. A double click, or Home, gives back the width that it had.

const STORED = "stowage-side";
const LEAST = 240; // pixels
const STEP = 24;

export class Widener {
  constructor(handle, panel, changed) {
    this.handle = handle;
    this.panel = panel;
    this.changed = changed;
    handle.addEventListener("pointerdown", (event) => {
      handle.setPointerCapture(event.pointerId);
      this.from = { x: event.clientX, width: panel.offsetWidth };
      event.preventDefault();
      handle.focus();
    });
    handle.addEventListener("pointermove", (event) => {
      if (this.from && event.buttons) this.set(this.from.width + this.from.x - event.clientX);
    });
    handle.addEventListener("pointerup", () => (this.from = null));
    handle.addEventListener("dblclick", () => this.set(0));
    handle.addEventListener("keydown", (event) => {
      const width = {
        ArrowLeft: panel.offsetWidth + STEP,
        ArrowRight: panel.offsetWidth - STEP,
        End: Infinity,
        Home: 0,
      }[event.key];
      if (width === undefined) return;
      event.preventDefault();
      this.set(width);
    });
    try {
      const width = Number(localStorage.getItem(STORED));
      if (width) this.set(width, false);
    } catch {
      // Pages from disk may have no storage; the width is then the usual one.
    }
    this.#say();
    new ResizeObserver(() => {
      this.#say();
      changed();
    }).observe(panel);
  }

  /** Half of the window is the picture's at least. */
  get most() {
    return Math.max(LEAST, Math.floor(window.innerWidth / 2));
  }

  /** Sets the width in pixels; 0 is the usual one. */
  set(width, keep = true) {
    const { style } = document.documentElement;
    if (width) style.setProperty("--side", `${Math.max(LEAST, Math.min(this.most, width))}px`);
    else style.removeProperty("--side");
    if (!keep) return;
    try {
      if (width) localStorage.setItem(STORED, String(Math.min(this.most, width)));
      else localStorage.removeItem(STORED);
    } catch {
      // As above.
    }
  }

  #say() {
    const { handle } = this;
    handle.setAttribute("aria-valuenow", this.panel.offsetWidth);
    handle.setAttribute("aria-valuemin", LEAST);
    handle.setAttribute("aria-valuemax", this.most);
  }
}
