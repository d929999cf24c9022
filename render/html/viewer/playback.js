// A plan played back, in one of two ways.
//
// Plans found: what planners report on their way, each plan that was lower than those
// before, and each bound that was higher. A large problem has some of its plans
// forgotten; the picture then stays at the last one that was kept, and the line below
// says so.
//
// From the ground up: the buffers of the plan that is shown, the lowest first, which is
// the order in which exact search places them (internal/exact: ascending offsets, each
// on what is there already). It follows from the plan, so nothing has to be recorded,
// and any plan can be played. Placements that a search takes back are not recorded.

import { both, count } from "./numbers.js";

const MOST_BUILT = 200_000; // buffers; each step of more would take longer than a frame

export class Playback {
  constructor(root, hooks) {
    this.root = root;
    this.hooks = hooks;
    this.doc = null;
    this.steps = [];
    this.order = null; // of the buffers, from the ground up
    this.tops = null; // the height after each of them
    this.what = "search"; // or "build"
    this.at = -1;
    this.timer = 0;
    this.play = root.querySelector(".play");
    this.choice = root.querySelector(".what");
    this.slider = root.querySelector("input");
    this.says = root.querySelector(".says");
    this.chart = root.querySelector("canvas");
    this.play.addEventListener("click", () => (this.timer ? this.stop() : this.start()));
    this.choice.addEventListener("change", () => {
      this.stop();
      this.choose(this.choice.value);
      this.go(this.last);
    });
    this.slider.addEventListener("input", () => {
      this.stop();
      this.go(Number(this.slider.value));
    });
  }

  /** Takes a document; its plan stands at the last step. Beside another it is not built up: they are compared. */
  show(doc, alone) {
    this.stop();
    this.doc = doc;
    this.steps = doc.steps;
    this.order = null;
    const found = this.steps.length > 1;
    const built = Boolean(alone && doc.offsets) && doc.n > 1 && doc.n <= MOST_BUILT;
    this.root.hidden = !found && !built;
    this.choice.options[0].disabled = !found;
    this.choice.options[1].disabled = !built;
    this.choose(found ? "search" : "build");
  }

  /** Chooses what is played. */
  choose(what) {
    this.what = this.choice.value = what;
    this.root.querySelector(".check").hidden = this.chart.hidden = what === "build";
    this.slider.max = Math.max(0, this.last);
    this.at = this.last;
    this.slider.value = this.at;
    this.#say();
  }

  /** Returns the last step. */
  get last() {
    return this.what === "build" ? this.doc.n : this.steps.length - 1;
  }

  /** Works out the order, when it is first asked for. */
  #sort() {
    const { offsets, size, lower, n } = this.doc;
    this.order = Uint32Array.from({ length: n }, (_, i) => i).sort(
      (i, j) => offsets[i] - offsets[j] || size[j] - size[i] || lower[i] - lower[j] || i - j,
    );
    this.tops = new Float64Array(n + 1);
    this.order.forEach((i, k) => (this.tops[k + 1] = Math.max(this.tops[k], offsets[i] + size[i])));
  }

  start() {
    if (this.at >= this.last) this.go(0);
    // All of it takes eight seconds, unless there are few steps; of many it takes some at once.
    const pause = Math.max(60, Math.min(900, 8000 / (this.last + 1)));
    const stride = Math.max(1, Math.round(((this.last + 1) * pause) / 8000));
    this.timer = setInterval(() => {
      if (this.at >= this.last) this.stop();
      else this.go(this.at + stride);
    }, pause);
    this.play.textContent = "Pause";
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    this.play.textContent = "Play";
  }

  /** Goes to a step, and tells what is to be seen then: the plan and the one before, or what is placed. */
  go(at) {
    this.at = Math.max(0, Math.min(this.last, at));
    this.slider.value = this.at;
    if (this.what === "build") {
      if (!this.order) this.#sort();
      this.hooks.build(this.order, this.at);
    } else this.hooks.step(this.#kept(this.at), this.#kept(this.#keptAt(this.at) - 1));
    this.#say();
  }

  /** Returns the last step up to one of which the plan was kept, -1 for none. */
  #keptAt(at) {
    while (at >= 0 && !this.steps[at].offsets) at--;
    return at;
  }

  #kept(at) {
    const k = this.#keptAt(at);
    return k < 0 ? null : this.steps[k].offsets;
  }

  #say() {
    const text = this.what === "build" ? this.#placed() : this.#found();
    this.says.textContent = text;
    this.slider.setAttribute("aria-valuetext", text);
    this.draw();
  }

  #placed() {
    const all = count(this.doc.n, "buffer");
    if (this.at === this.last) return `All of ${all} are placed`;
    if (!this.at) return `None of ${all} is placed`;
    const i = this.order[this.at - 1];
    return `${this.at} of ${all}: ${this.doc.id(i)} at ${both(this.doc.offsets[i])}, height so far ${both(this.tops[this.at])}`;
  }

  #found() {
    const s = this.steps[this.at];
    if (!s) return "";
    const plan = s.height ? `height ${both(s.height)}` : "no plan yet";
    const kept =
      s.height && this.#keptAt(this.at) !== this.at && !this.#bound(this.at) ? "; this plan was not kept" : "";
    return `Step ${this.at + 1} of ${this.steps.length}: ${plan}, bound ${both(s.lowerBound)}, ${s.seconds.toFixed(3)} s, ${count(s.nodes, "node")}${kept}`;
  }

  /** Whether a step has the height of the one before: only the bound rose. */
  #bound(at) {
    return at > 0 && this.steps[at - 1].height === this.steps[at].height;
  }

  /** Draws heights and bounds over the steps. */
  draw(theme = this.theme) {
    this.theme = theme;
    const { chart, steps } = this;
    const [w, h] = [chart.clientWidth, chart.clientHeight];
    if (!theme || !w || steps.length < 2 || this.what === "build") return;
    const ratio = window.devicePixelRatio || 1;
    chart.width = w * ratio;
    chart.height = h * ratio;
    const c = chart.getContext("2d");
    c.scale(ratio, ratio);
    const known = steps.filter((s) => s.height);
    const most = Math.max(...known.map((s) => s.height), ...steps.map((s) => s.lowerBound));
    const least = Math.min(...steps.map((s) => s.lowerBound || most));
    const x = (k) => 5 + (k / (steps.length - 1)) * (w - 10);
    const y = (v) => 5 + (1 - (v - least) / (most - least || 1)) * (h - 10);
    const draw = (value, colour) => {
      c.strokeStyle = colour;
      c.lineWidth = 1.5;
      c.beginPath();
      let before = 0;
      steps.forEach((s, k) => {
        if (!value(s)) return;
        if (!before) c.moveTo(x(k), y(value(s)));
        else c.lineTo(x(k), y(before));
        c.lineTo(x(k), y(value(s)));
        before = value(s);
      });
      c.stroke();
    };
    draw((s) => s.lowerBound, theme.bound);
    draw((s) => s.height, theme.height);
    const s = steps[this.at];
    if (s && s.height) {
      c.fillStyle = theme.select;
      c.beginPath();
      c.arc(x(this.at), y(s.height), 4, 0, 7);
      c.fill();
    }
  }
}
