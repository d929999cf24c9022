// The controls above the picture and the keys of the page: what each asks App for.

import { modesOf } from "./colours.js";
import { byId as $ } from "./dom.js";
import { save } from "./save.js";

/** Connects them, once. */
export function controls(app) {
  const on = (id, type, run) => $(id).addEventListener(type, run);
  let waiting = 0;
  let before = ""; // the tab that was in front before the search
  on("search", "input", () => {
    clearTimeout(waiting);
    const large = app.files.length && app.facts(0).doc.n > 200_000;
    // What is found is listed, so the list comes to the front.
    const look = () => {
      if (!app.files.length) return;
      if ($("search").value.trim()) {
        before ||= document.querySelector("[role=tab][aria-selected=true]").id;
        app.tab("tab-list");
      }
      app.search($("search").value);
    };
    waiting = setTimeout(look, large ? 250 : 60);
  });
  on("search", "keydown", (event) => {
    if (event.key === "Enter") app.select(app.listed, app.table.beside(event.shiftKey ? -1 : 1), true);
    if (event.key === "Escape") {
      event.preventDefault();
      clearTimeout(waiting);
      $("search").value = "";
      $("search").blur();
      if (!app.files.length) return;
      app.search("");
      if (before) app.tab(before);
      before = "";
    }
  });
  on("colour", "change", () => {
    app.colour = $("colour").value;
    app.repaint();
    app.figures();
  });
  on("zoom-in", "click", () => app.view.zoom(0.6, 0.6));
  on("zoom-out", "click", () => app.view.zoom(1 / 0.6, 1 / 0.6));
  on("fit", "click", () => app.view.fit());
  on("peak", "click", () => app.peak());
  on("which", "change", () => app.choose(Number($("which").value), app.b));
  on("other", "change", () => app.choose(app.a, Number($("other").value)));
  for (const button of document.querySelectorAll("[data-mode]")) {
    button.addEventListener("click", () => app.setMode(button.dataset.mode));
  }
  for (const button of document.querySelectorAll("[data-save]")) {
    button.addEventListener("click", () => {
      $("save").open = false;
      save(button.dataset.save, app.plots[app.listed], app.facts(app.listed).doc.title);
    });
  }
  for (const tab of document.querySelectorAll("[role=tab]")) tab.addEventListener("click", () => app.tab(tab.id));
  $("tabs").addEventListener("keydown", (event) => {
    if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
    const other = document.querySelector("[role=tab][aria-selected=false]");
    app.tab(other.id);
    other.focus();
  });
  on("mark-moves", "change", () => app.playback.go(app.playback.at));
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    app.tab("tab-list");
    document.querySelector(".list-rows").focus();
  });
  on("unselect", "click", () => app.select(app.listed, -1));
  on("help-button", "click", () => $("help").showModal());
  document.addEventListener("click", (event) => {
    if (!$("save").contains(event.target)) $("save").open = false;
  });
  document.addEventListener("keydown", (event) => key(app, event));
}

/** Does what a key asks for, unless something is typed. */
function key(app, event) {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (typing || event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
  const keys = {
    "/": () => $("search").focus(),
    f: () => app.view.fit(),
    p: () => app.peak(),
    d: () => app.comparison && app.setMode(app.mode === "diff" ? "both" : "diff"),
    t: () => app.theme.next(),
    "?": () => $("help").showModal(),
    Escape: () => {
      if ($("save").open) $("save").open = false;
      else if (app.files.length) app.select(app.listed, -1);
    },
  };
  const { playback } = app;
  const played = {
    " ": () => (playback.timer ? playback.stop() : playback.start()),
    b: () => playback.toggle(-1),
    ",": () => playback.nudge(-1),
    ".": () => playback.nudge(1),
    "[": () => playback.jump(-1),
    "]": () => playback.jump(1),
    "<": () => playback.hurry(-1),
    ">": () => playback.hurry(1),
  };
  const run = keys[event.key] ?? (app.files.length && !$("playback").hidden && played[event.key]);
  if (!run || (event.key === " " && /^(BUTTON|SUMMARY)$/.test(event.target.tagName))) return;
  event.preventDefault();
  run();
}

/** Fills the lists of documents, and shows which mode holds. */
export function choices(app) {
  const names = app.files.map(({ doc }) => doc.title);
  const fill = (list, chosen, none) => {
    const options = names.map((name, k) => new Option(name, k));
    if (none) options.unshift(new Option(none, -1));
    list.replaceChildren(...options);
    list.value = String(chosen);
  };
  $("colour").replaceChildren(...modesOf(app.facts(0).doc).map(({ id, name }) => new Option(name, id)));
  $("colour").value = app.colour;
  fill($("which"), app.a);
  fill($("other"), app.b, "nothing");
  $("files").hidden = app.files.length < 2 || Boolean(app.session);
  $("modes").hidden = app.b < 0;
  for (const button of document.querySelectorAll("[data-mode]")) {
    button.setAttribute("aria-pressed", String(button.dataset.mode === app.mode));
  }
}
