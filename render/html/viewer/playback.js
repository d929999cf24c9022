// A plan played back, in one of three ways; or the changes of a session.
//
// Plans found: what planners report on their way, each plan that was lower than those before, and each bound that was
// higher. A large problem has some of its plans forgotten; the picture then stays at the last one that was kept, and
// the line below says so.
//
// From the ground up: the buffers of the plan that is shown, the lowest first, which is the order in which exact search
// places them (internal/exact: ascending offsets, each on what is there already). It follows from the plan, so nothing
// has to be recorded, and any plan can be played.
//
// Steps of the search: what it tried and took back, where that was recorded (moves.js), the first so many moves of it.

import { both, count, whole } from "./numbers.js";
import { MOVE, Story } from "./moves.js";

const MOST_BUILT = 200_000; // buffers; each step of more would take longer than a frame
const WHOLE = 8000; // milliseconds that all of it takes, where no speed is chosen
const SPEEDS = [1, 4, 15, 60, 250, 1000]; // steps a second

export class Playback {
  constructor(root, theme, hooks) {
    this.theme = theme;
    this.root = root;
    this.hooks = hooks;
    this.doc = null;
    this.steps = [];
    this.order = null; // of the buffers, from the ground up
    this.tops = null; // the height after each of them
    this.story = null; // of the moves, made when it is first asked for
    this.session = null;
    this.what = "search"; // or "build", "moves" or "session"
    this.at = -1;
    this.timer = 0;
    this.way = 1; // forwards; -1 is backwards
    this.play = root.querySelector(".play");
    this.reverse = root.querySelector(".reverse");
    this.choice = root.querySelector(".what");
    this.speed = root.querySelector(".speed");
    this.slider = root.querySelector("input");
    this.says = root.querySelector(".says");
    this.chart = root.querySelector("canvas");
    for (const n of SPEEDS) this.speed.append(new Option(`${n} a second`, n));
    this.play.addEventListener("click", () => this.toggle(1));
    this.reverse.addEventListener("click", () => this.toggle(-1));
    root.querySelector(".before").addEventListener("click", () => this.nudge(-1));
    root.querySelector(".after").addEventListener("click", () => this.nudge(1));
    this.speed.addEventListener("change", () => this.timer && this.start(this.way));
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
    this.order = this.story = null;
    const found = this.steps.length > 1;
    const built = Boolean(alone && doc.offsets) && doc.n > 1 && doc.n <= MOST_BUILT;
    const moves = Boolean(alone && doc.moves);
    this.root.hidden = !found && !built && !moves;
    this.choice.options[0].disabled = !found;
    this.choice.options[1].disabled = !built;
    this.choice.options[2].hidden = this.choice.options[2].disabled = !moves;
    this.choose(moves ? "moves" : found ? "search" : "build");
  }

  /** Takes a session, whose calls are played and nothing else. */
  follow(session) {
    this.session = session;
    this.root.hidden = false;
    for (const option of this.choice.options) option.hidden = option.disabled = option.value !== "session";
    this.choose("session");
  }

  /** Shows nothing: there is no document. */
  clear() {
    this.stop();
    this.doc = null;
    this.steps = [];
    this.order = this.story = null;
    this.at = -1;
    this.root.hidden = true;
  }

  /** Chooses what is played. */
  choose(what) {
    this.what = this.choice.value = what;
    this.speed.value = what === "moves" ? "15" : what === "session" ? "1" : "";
    this.root.dataset.what = what;
    this.root.querySelector(".check").hidden = what !== "search";
    this.chart.hidden = what === "build" || what === "session";
    if (what === "moves") this.story ??= new Story(this.doc);
    this.slider.max = Math.max(0, this.last);
    this.at = this.last;
    this.slider.value = this.at;
    this.#say();
  }

  /** Returns the last step. */
  get last() {
    if (this.what === "session") return this.session.last;
    if (this.what === "moves") return this.doc.moves.kind.length + 1; // the plan itself comes after all moves
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

  /** Plays forwards, or backwards, from where it is; at the end, from the other. */
  start(way = 1) {
    this.stop();
    if (way > 0 && this.at >= this.last) this.go(0);
    if (way < 0 && this.at <= 0) this.go(this.last);
    // At no speed of its own all of it takes eight seconds, unless there are few steps; of many it takes some at once.
    const rate = Number(this.speed.value);
    const pause = rate ? Math.max(16, 1000 / rate) : Math.max(60, Math.min(900, WHOLE / (this.last + 1)));
    const stride = rate
      ? Math.max(1, Math.round((rate * pause) / 1000))
      : Math.max(1, Math.round(((this.last + 1) * pause) / WHOLE));
    this.way = way;
    this.timer = setInterval(() => {
      if (way > 0 ? this.at >= this.last : this.at <= 0) this.stop();
      else this.go(this.at + way * stride);
    }, pause);
    this.#buttons();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    this.#buttons();
    this.says.setAttribute("aria-live", "polite"); // while it plays nobody could listen
  }

  toggle(way) {
    if (this.timer && this.way === way) this.stop();
    else this.start(way);
  }

  /** Goes so many steps on, by hand. */
  nudge(by) {
    this.stop();
    this.go(this.at + by);
  }

  /** Goes to the next place, or the one before, where a search begins or has found a plan. */
  jump(way) {
    this.stop();
    if (this.what === "session") this.go(this.#notable(way));
    else if (this.what === "moves") this.go(this.story.chapter(this.at, way));
    else this.go(way < 0 ? 0 : this.last);
  }

  /** Plays slower or faster. */
  hurry(by) {
    const k = Math.max(0, Math.min(this.speed.options.length - 1, this.speed.selectedIndex + by));
    this.speed.selectedIndex = k;
    if (this.timer) this.start(this.way);
  }

  #buttons() {
    const [on, back] = [this.timer && this.way > 0, this.timer && this.way < 0];
    this.play.textContent = on ? "Pause" : "Play";
    this.reverse.textContent = back ? "❚❚" : "◀";
    this.reverse.setAttribute("aria-label", back ? "Pause" : "Play backwards");
    if (this.timer) this.says.setAttribute("aria-live", "off");
  }

  /** Goes to a step, and tells what is to be seen then: the plan and the one before, or what is placed. */
  go(at) {
    this.at = Math.max(0, Math.min(this.last, at));
    this.slider.value = this.at;
    if (this.what === "session") this.hooks.change(this.session, this.at);
    else if (this.what === "build") {
      if (!this.order) this.#sort();
      this.hooks.build(this.order, this.at);
    } else if (this.what === "moves") {
      this.story.go(Math.min(this.at, this.story.count));
      this.hooks.moves(this.at > this.story.count ? null : this.story);
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
    const text =
      this.what === "session"
        ? this.#called()
        : this.what === "moves"
          ? this.#moved()
          : this.what === "build"
            ? this.#placed()
            : this.#found();
    this.says.textContent = text;
    this.slider.setAttribute("aria-valuetext", text);
    this.draw();
  }

  /** Says what the move before is, what becomes of it, and how the search stands. */
  #moved() {
    const { story, at, doc } = this;
    if (at > story.count) {
      const what = doc.offsets ? "The plan as it is, after" : "No plan was found in";
      return `${what} ${count(doc.moves.told, "step")} of the search`;
    }
    const { kind, buffer, offset, told } = doc.moves;
    const all = told > story.count ? `${whole(story.count)}, the first of ${whole(told)}` : whole(story.count);
    const stands = `${whole(story.depth[at])} placed, ${whole(story.tried[at])} tried, ${whole(story.taken[at])} taken back`;
    if (!at) return `Before the first step of ${all}`;
    const k = at - 1;
    const lowest = this.steps.findLast((s) => s.height && (s.move ?? 0) === at);
    const best = lowest ? `, the lowest plan so far: height ${both(lowest.height)}` : "";
    return `Step ${whole(at)} of ${all}: ${this.#says(kind[k], buffer[k], offset[k], k)}${best} · ${stands}`;
  }

  #says(kind, i, offset, k) {
    const { story, doc } = this;
    const until = story.until[k];
    switch (kind) {
      case MOVE.begin:
        return `a search begins, for a plan within ${both(offset)}`;
      case MOVE.place: {
        const where = `${doc.id(i)} ${story.undo[k] ? "goes to" : "at"} ${both(offset)}`;
        if (until === story.count) return `${where}, where it stays`;
        return until === k + 1
          ? `${where}, which comes to nothing at once`
          : `${where}, until step ${whole(until + 1)}`;
      }
      case MOVE.back: {
        const more = story.undo[k].length - 1;
        return `${doc.id(i)} is taken back${more ? `, and ${count(more, "buffer")} placed after it` : ""}`;
      }
      case MOVE.done:
        return "a piece that is apart from the rest is finished";
      default:
        return `a plan is found, of height ${both(offset)}`;
    }
  }

  /** Says what the call before was, and what became of it. */
  #called() {
    const { session, at } = this;
    if (!at) return `The plan to begin with, before ${count(session.last, "call")}`;
    const { text, moved, gone } = session.calls[at - 1];
    const dashed = moved ? "; dashed: where they were" : gone ? "; dashed: what has left" : "";
    return `Call ${whole(at)} of ${whole(session.last)}: ${text}${dashed}`;
  }

  /** Returns the next call, or the one before, that was not made or that moved other buffers. */
  #notable(way) {
    for (let k = this.at + way; k > 0 && k <= this.last; k += way) {
      const { tried, moved } = this.session.calls[k - 1];
      if (tried || moved) return k;
    }
    return way < 0 ? 0 : this.last;
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

  /** Draws heights and bounds over the steps, or how deep the search is. */
  draw() {
    if (this.what === "session") return;
    const { chart, steps } = this;
    const [w, h] = [chart.clientWidth, chart.clientHeight];
    if (!w || this.what === "build" || (this.what === "search" && steps.length < 2)) return;
    const ratio = window.devicePixelRatio || 1;
    chart.width = w * ratio;
    chart.height = h * ratio;
    const c = chart.getContext("2d");
    c.scale(ratio, ratio);
    if (this.what === "moves") this.#depths(c, w, h);
    else this.#heights(c, w, h);
  }

  /** Draws how many buffers are placed over the steps, from least to most in a pixel, and where plans are. */
  #depths(c, w, h) {
    const { story, theme, steps } = this;
    const { count, depth, deepest } = story;
    const x = (k) => 5 + (k / Math.max(1, count)) * (w - 10);
    const y = (v) => 6 + (1 - v / Math.max(1, deepest)) * (h - 12);
    c.fillStyle = theme.load;
    for (let px = 5; px < w - 5; px++) {
      const from = Math.floor(((px - 5) / (w - 10)) * count);
      const to = Math.max(from + 1, Math.ceil(((px - 4) / (w - 10)) * count));
      let most = 0;
      for (let k = from; k <= Math.min(to, count); k++) most = Math.max(most, depth[k]);
      c.fillRect(px, y(most), 1, h - 6 - y(most));
    }
    c.fillStyle = theme.height;
    for (const s of steps) {
      if (!s.height || (s.move ?? 0) > count) continue;
      c.beginPath();
      c.arc(x(s.move ?? 0), 5, 2.5, 0, 7);
      c.fill();
    }
    const at = Math.min(this.at, count);
    c.fillStyle = theme.select;
    c.fillRect(x(at) - 1, 2, 2, h - 4);
    c.beginPath();
    c.arc(x(at), y(depth[at]), 4, 0, 7);
    c.fill();
  }

  #heights(c, w, h) {
    const { steps, theme } = this;
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
