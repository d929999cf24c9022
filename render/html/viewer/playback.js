// The steps of a search, played back.
//
// What there is to play is what planners report: each plan that was lower than those
// before, and each bound that was higher. The placements in between that a search tries
// and takes back are not recorded. A large problem has some of its plans forgotten; the
// picture then stays at the last one that was kept, and the line above it says so.

import { both, count } from "./numbers.js";

export class Playback {
  constructor(root, hooks) {
    this.root = root;
    this.hooks = hooks;
    this.steps = [];
    this.at = -1;
    this.timer = 0;
    this.play = root.querySelector(".play");
    this.slider = root.querySelector("input");
    this.says = root.querySelector(".says");
    this.chart = root.querySelector("canvas");
    this.play.addEventListener("click", () => (this.timer ? this.stop() : this.start()));
    this.slider.addEventListener("input", () => {
      this.stop();
      this.go(Number(this.slider.value));
    });
  }

  /** Takes the steps of a document; the last is where it stands. */
  show(doc) {
    this.stop();
    this.steps = doc.steps;
    this.at = this.steps.length - 1;
    this.root.hidden = this.steps.length < 2;
    this.slider.max = Math.max(0, this.steps.length - 1);
    this.slider.value = this.at;
    this.#say();
  }

  start() {
    if (this.at >= this.steps.length - 1) this.go(0);
    // All of it takes eight seconds, unless there are few steps.
    const pause = Math.max(60, Math.min(900, 8000 / this.steps.length));
    this.timer = setInterval(() => {
      if (this.at >= this.steps.length - 1) this.stop();
      else this.go(this.at + 1);
    }, pause);
    this.play.textContent = "Pause";
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    this.play.textContent = "Play";
  }

  /** Goes to a step, and tells which offsets were the plan then and before. */
  go(at) {
    this.at = Math.max(0, Math.min(this.steps.length - 1, at));
    this.slider.value = this.at;
    this.#say();
    this.hooks.step(this.#kept(this.at), this.#kept(this.#keptAt(this.at) - 1));
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
    const s = this.steps[this.at];
    if (!s) return;
    const plan = s.height ? `height ${both(s.height)}` : "no plan yet";
    const kept =
      s.height && this.#keptAt(this.at) !== this.at && !this.#bound(this.at) ? "; this plan was not kept" : "";
    this.says.textContent = `Step ${this.at + 1} of ${this.steps.length}: ${plan}, bound ${both(s.lowerBound)}, ${s.seconds.toFixed(3)} s, ${count(s.nodes, "node")}${kept}`;
    this.slider.setAttribute("aria-valuetext", this.says.textContent);
    this.draw();
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
    if (!theme || !w || steps.length < 2) return;
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
