// The list of buffers: sorted, filtered, and a million rows long where need be.
//
// Only the rows in sight are in the page; a spacer has the height of all of them. As browsers end at some tens of
// millions of pixels, a longer list is scrolled in proportion.

import { placeOf } from "./data.js";
import { order, identity } from "./sort.js";
import { whole } from "./numbers.js";
import { cut, widthOf } from "./letters.js";

const ROW = 28; // pixels; style.css has it too
const LEAST = 84; // pixels for a name
const USUAL = 130; // the same, if names are so long: shorter, many of a model would look the same
const SAMPLE = 500; // names that are measured
const TALLEST = 8_000_000;

/** The columns: what to sort by, and what to show. The offset, which is the plan, is first after the name. */
const COLUMNS = [
  { id: "id", name: "Buffer", key: null, text: (f, i) => f.doc.id(i) },
  {
    id: "offset",
    name: "Offset",
    key: (f, i) => (f.offsets ? f.offsets[i] : 0),
    most: (f) => [f.shown ? most(f.shown) : 0],
    text: (f, i) => (f.shown && !Number.isNaN(f.shown[i]) ? whole(placeOf(f.doc, i, f.shown[i])) : ""),
  },
  {
    id: "size",
    name: "Size",
    key: (f, i) => f.doc.size[i],
    most: (f) => [most(f.doc.size)],
    text: (f, i) => whole(f.doc.size[i]),
  },
  {
    id: "lower",
    name: "From",
    key: (f, i) => f.doc.lower[i],
    most: (f) => [f.lower, f.upper],
    text: (f, i) => whole(f.doc.lower[i]),
  },
  {
    id: "upper",
    name: "To",
    key: (f, i) => f.doc.upper[i],
    most: (f) => [f.lower, f.upper],
    text: (f, i) => whole(f.doc.upper[i]),
  },
];

/** Returns the largest of some numbers, of which some may be none. */
function most(values) {
  let out = 0;
  for (let i = 0; i < values.length; i++) if (values[i] > out) out = values[i];
  return out;
}

export class Table {
  constructor(root, hooks) {
    this.root = root;
    this.hooks = hooks;
    this.facts = null;
    this.found = null;
    this.sort = { column: COLUMNS[2], down: true };
    this.rows = identity(0);
    this.selected = -1;
    this.dirty = true;
    this.letters = 12; // the size of letters, in pixels
    this.nameWidth = LEAST; // pixels that a name has
    this.head = root.querySelector(".list-head");
    this.scroller = root.querySelector(".list-rows");
    this.spacer = this.scroller.firstElementChild;
    this.body = this.spacer.nextElementSibling;
    this.#heading();
    this.scroller.addEventListener("scroll", () => this.#rows());
    this.scroller.addEventListener("keydown", (event) => this.#key(event));
    this.body.addEventListener("click", (event) => {
      const row = event.target.closest("[data-buffer]");
      if (row) hooks.select(Number(row.dataset.buffer));
    });
    this.body.addEventListener("dblclick", (event) => {
      const row = event.target.closest("[data-buffer]");
      if (row) hooks.zoomTo(Number(row.dataset.buffer));
    });
  }

  #heading() {
    for (const column of COLUMNS) {
      const cell = document.createElement("div");
      cell.setAttribute("role", "columnheader");
      cell.className = "c-" + column.id;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = column.name;
      button.addEventListener("click", () => {
        const again = this.sort.column === column;
        this.sort = { column, down: again ? !this.sort.down : column.id === "size" };
        this.#sorted();
        this.update();
      });
      cell.append(button);
      this.head.append(cell);
      column.cell = cell;
    }
    this.#sorted();
  }

  #sorted() {
    for (const { cell } of COLUMNS) cell.removeAttribute("aria-sort");
    this.sort.column.cell.setAttribute("aria-sort", this.sort.down ? "descending" : "ascending");
  }

  /** Takes what to show; found is a mark for each buffer, or null for all. */
  show(facts, found) {
    this.facts = facts;
    this.found = found;
    this.dirty = true;
    this.#widths();
  }

  /** Works out how wide the columns of numbers are, and how wide the list would be with all names in full. */
  #widths() {
    const { facts } = this;
    this.letters = parseFloat(getComputedStyle(this.head).fontSize) || 12;
    const key = [this.letters, facts.shown ? String(facts.height).length : 0].join();
    if (this.measured === facts && this.measuredAs === key) return;
    [this.measured, this.measuredAs] = [facts, key];
    this.numbers = COLUMNS.slice(1).map(({ name, most }) => {
      const figures = Math.max(0, ...most(facts).map((v) => widthOf(whole(v).replace(/\d/g, "0"))));
      return Math.ceil(Math.max(figures, widthOf(name + " ↓")) * this.letters) + 10;
    });
    const { n } = facts.doc;
    let longest = 0;
    const step = Math.max(1, Math.floor(n / SAMPLE));
    for (let i = 0; i < n; i += step) longest = Math.max(longest, widthOf(facts.doc.id(i)));
    this.wanted = Math.max(LEAST, Math.min(USUAL, Math.ceil(longest * this.letters) + 26));
    document.documentElement.style.setProperty("--needs", `${this.wanted + this.#rest + 2}px`);
  }

  /** How many pixels of a row are not the name's. */
  get #rest() {
    return this.numbers.reduce((sum, w) => sum + w, 0) + 12;
  }

  /** Makes the columns of numbers as wide as their longest number, and gives names what is left. */
  #fit() {
    this.#widths();
    const { root, wanted } = this;
    const left = root.clientWidth - this.#rest;
    // Names are cut if all of a row is in sight then; if it is not, the list is moved anyway.
    const least = left < LEAST ? wanted : Math.min(left, wanted);
    root.style.setProperty("--columns", `minmax(${least}px, 1fr) ${this.numbers.map((w) => w + "px").join(" ")}`);
    root.style.setProperty("--least", `${least + this.#rest}px`);
    this.nameWidth = Math.max(least, left);
  }

  /** Sorts and draws, where the list can be seen; else that waits. */
  update() {
    if (!this.facts || this.root.hidden) return;
    const { facts, found, sort } = this;
    const { n } = facts.doc;
    let rows = identity(n);
    if (found) rows = rows.filter((i) => found[i]);
    if (sort.column.key) {
      const keys = new Float64Array(n);
      for (let i = 0; i < n; i++) keys[i] = sort.column.key(facts, i);
      rows = order(keys, rows);
    } else {
      const names = new Intl.Collator("en", { numeric: true });
      const text = new Map();
      for (const i of rows) text.set(i, facts.doc.id(i));
      rows = Array.from(rows).sort(n > 50_000 ? byText(text) : (a, b) => names.compare(text.get(a), text.get(b)));
    }
    if (sort.down) rows.reverse();
    this.rows = rows;
    this.dirty = false;
    this.#fit();
    this.scroller.setAttribute("aria-rowcount", rows.length + 1);
    this.spacer.style.height = Math.min(rows.length * ROW, TALLEST) + "px";
    this.#rows();
  }

  /** How many rows there are before the first in sight. */
  get #first() {
    const tall = this.rows.length * ROW;
    const view = this.scroller.clientHeight;
    if (tall <= TALLEST) return this.scroller.scrollTop / ROW;
    return (this.scroller.scrollTop / (TALLEST - view)) * (this.rows.length - view / ROW);
  }

  #rows() {
    const { facts, rows, body } = this;
    if (!facts) return;
    const from = Math.max(0, Math.floor(this.#first));
    const to = Math.min(rows.length, from + Math.ceil(this.scroller.clientHeight / ROW) + 2);
    const long = rows.length * ROW > TALLEST;
    body.style.transform = `translateY(${long ? this.scroller.scrollTop : from * ROW}px)`;
    const out = [];
    for (let r = from; r < to; r++) {
      const i = rows[r];
      const row = document.createElement("div");
      row.className = "row";
      row.setAttribute("role", "row");
      row.setAttribute("aria-rowindex", r + 2);
      row.dataset.buffer = i;
      row.id = "row-" + r;
      if (i === this.selected) row.setAttribute("aria-selected", "true");
      for (const column of COLUMNS) {
        const cell = document.createElement("div");
        cell.setAttribute("role", "cell");
        cell.className = "c-" + column.id;
        cell.textContent = column.text(facts, i);
        if (column.id === "id") {
          cell.title = cell.textContent;
          cell.textContent = cut(cell.title, this.nameWidth - (facts.owner[i] ? 24 : 12), this.letters);
          if (cell.title !== cell.textContent) cell.setAttribute("aria-label", cell.title);
          if (facts.owner[i]) cell.classList.add("owner");
        }
        row.append(cell);
      }
      out.push(row);
    }
    body.replaceChildren(...out);
    if (!rows.length) {
      const none = document.createElement("p");
      none.className = "none";
      none.textContent = this.found ? "No buffer matches." : "There are no buffers.";
      body.replaceChildren(none);
    }
  }

  /** Marks a buffer, and brings it into sight where it is listed. */
  select(buffer, reveal) {
    this.selected = buffer;
    if (this.root.hidden) return;
    const at = reveal && buffer >= 0 ? this.rows.indexOf(buffer) : -1;
    const view = this.scroller.clientHeight / ROW;
    if (at >= 0 && (at < this.#first || at > this.#first + view - 1)) {
      const tall = this.rows.length * ROW;
      const first = Math.max(0, at - view / 2);
      this.scroller.scrollTop =
        tall <= TALLEST ? first * ROW : (first / (this.rows.length - view)) * (TALLEST - this.scroller.clientHeight);
    }
    this.#rows();
  }

  /** Returns the buffer so many rows from the one that is selected. */
  beside(by) {
    if (this.dirty || this.root.hidden) {
      const hidden = this.root.hidden;
      this.root.hidden = false;
      this.update();
      this.root.hidden = hidden;
    }
    if (!this.rows.length) return -1;
    const at = this.rows.indexOf(this.selected);
    if (at < 0) return this.rows[by > 0 ? 0 : this.rows.length - 1];
    return this.rows[Math.max(0, Math.min(this.rows.length - 1, at + by))];
  }

  #key(event) {
    const page = Math.floor(this.scroller.clientHeight / ROW) - 1;
    const by = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -this.rows.length,
      End: this.rows.length,
    }[event.key];
    if (event.key === "Enter") this.hooks.zoomTo(this.selected);
    else if (by) this.hooks.select(this.beside(by));
    else return;
    event.preventDefault();
  }
}

function byText(text) {
  return (a, b) => {
    const [x, y] = [text.get(a), text.get(b)];
    return x < y ? -1 : x > y ? 1 : 0;
  };
}
