// The theme of the page, the system's, light or dark, and its colours for canvases.
//
// What is on a canvas does not follow the style sheet by itself: who draws there keeps the
// object of colours, which is filled anew, and is told when.

import { byId as $, make } from "./dom.js";

const THEMES = ["auto", "light", "dark"];
const STORED = "stowage-theme";
const COLOURS = [
  "plot",
  "panel",
  "grid",
  "axis",
  "ink",
  "faint",
  "select",
  "cursor",
  "load",
  "waste",
  "height",
  "capacity",
  "bound",
  "peak",
  "peakBand",
  "veil",
];

export class Theme {
  constructor() {
    this.colours = {};
    this.listeners = [];
    this.wish = window.matchMedia("(prefers-color-scheme: dark)");
    this.wish.addEventListener("change", () => this.#use());
    $("theme").addEventListener("click", () => this.next());
    // Paper is light.
    window.addEventListener("beforeprint", () => this.#print(true));
    window.addEventListener("afterprint", () => this.#print(false));
    this.name = "auto";
    try {
      this.name = localStorage.getItem(STORED) || "auto";
    } catch {
      // Pages from disk may have no storage; the theme is then the system's.
    }
    this.#use();
  }

  /** The listener is told whether it is to draw at once, not with the next frame. */
  onChange(listener) {
    this.listeners.push(listener);
  }

  next() {
    this.name = THEMES[(THEMES.indexOf(this.name) + 1) % THEMES.length];
    try {
      localStorage.setItem(STORED, this.name);
    } catch {
      // As above.
    }
    this.#use();
  }

  #print(printing) {
    this.printing = printing;
    this.#use(true);
  }

  #use(atOnce = false) {
    const root = document.documentElement;
    this.dark = !this.printing && (this.name === "dark" || (this.name === "auto" && this.wish.matches));
    root.dataset.theme = this.dark ? "dark" : "light";
    $("theme").replaceChildren(make("span", "wide", `Theme: ${this.name}`), make("span", "narrow", "◐"));
    $("theme").setAttribute("aria-label", `Theme: ${this.name === "auto" ? "the system's" : this.name}`);
    const style = getComputedStyle(root);
    for (const name of COLOURS) this.colours[name] = style.getPropertyValue("--c-" + name.toLowerCase()).trim();
    for (const listener of this.listeners) listener(atOnce);
  }
}
