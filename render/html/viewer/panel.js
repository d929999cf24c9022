// The figures beside the picture, in words and bars.

import { placeOf } from "./data.js";
import { make } from "./dom.js";
import { shorten } from "./letters.js";
import { apart, both, bytes, count, percent, span, whole } from "./numbers.js";

/** Fills the tiles at the top: the few figures that matter. */
export function tiles(root, facts, comparison) {
  const { doc, load } = facts;
  const out = [];
  const tile = (name, value, about, tone = "") => {
    out.push(make("div", "tile " + tone, make("dt", "", name), make("dd", "", value, make("small", "", about))));
  };
  // Figures that differ must not look alike.
  const figures = [facts.height, load.peak, facts.bound, doc.capacity].filter((v) => v >= 10240);
  const texts = apart(figures);
  const short = (v) => (v < 10240 ? whole(v) : (texts[figures.indexOf(v)] ?? bytes(v)));
  if (doc.lanes) {
    for (const { name, value } of doc.measures) tile(name[0].toUpperCase() + name.slice(1), whole(value), "");
    for (const { name, height, capacity } of doc.lanes) {
      if (name)
        tile(name, bytes(height), capacity ? `${percent(height / capacity)} of ${bytes(capacity)}` : "no limit");
    }
    tile("Buffers", whole(doc.n), load.sections ? `changes at ${whole(load.sections + 1)} times` : "");
    return root.replaceChildren(...out);
  }
  if (facts.offsets && doc.n) {
    const over = facts.bound ? facts.height / facts.bound - 1 : 0;
    const proven = facts.height === facts.bound;
    if (facts.above) tile("Height", short(facts.height), "without what does not fit");
    else if (over < 0) tile("Height", short(facts.height), "below the load: not valid", "bad");
    else
      tile(
        "Height",
        short(facts.height),
        proven ? "no plan is lower" : `${percent(over)} above the bound`,
        proven ? "good" : "",
      );
  }
  tile("Peak load", short(load.peak), load.sections ? `at time ${whole(load.times[load.peakAt])}` : "no buffers");
  if (facts.bound > load.peak) tile("Lower bound", short(facts.bound), "proven above the load");
  if (doc.capacity) {
    const need = facts.offsets && !facts.above ? facts.height : load.peak;
    const left = doc.capacity - need;
    tile(
      "Capacity",
      short(doc.capacity),
      left < 0 ? `exceeded by ${short(-left)}` : `${percent(left / doc.capacity)} free`,
      left < 0 ? "bad" : "",
    );
  }
  if (facts.offsets && doc.n && facts.height >= load.peak)
    tile("Unused area", percent(facts.waste()), "under the plan’s top");
  let sum = 0;
  for (let i = 0; i < doc.n; i++) sum += doc.size[i];
  if (facts.height) tile("Sharing", (sum / facts.height).toFixed(1) + "×", `${short(sum)} of buffers`);
  tile("Buffers", whole(doc.n), load.sections ? `changes at ${whole(load.sections + 1)} times` : "");
  if (comparison) {
    const { counts } = comparison;
    const by = comparison.b.height - comparison.a.height;
    const sign = by > 0 ? "+" : by < 0 ? "−" : "";
    tile(
      "Difference",
      by ? sign + short(Math.abs(by)) : "none",
      `${whole(counts.up + counts.down)} moved`,
      by < 0 ? "good" : by > 0 ? "bad" : "",
    );
  }
  root.replaceChildren(...out);
}

const SHOWN = 40;

/** Lists who owns the peak, the largest first. */
export function owners(root, facts, hooks) {
  const all = facts.ownersAtPeak();
  const { load, doc } = facts;
  const out = [];
  if (all.length) {
    const s = load.peakAt;
    out.push(
      make(
        "p",
        "about",
        `${count(all.length, "buffer")} live in [${whole(load.times[s])}, ${whole(load.times[s + 1])}), ${both(load.peak)} together.`,
      ),
    );
    const list = make("ol", "owners");
    for (const { buffer, size } of all.slice(0, SHOWN)) {
      const button = make(
        "button",
        "",
        make("span", "id", shorten(doc.id(buffer), 32)),
        make("span", "figure", `${bytes(size)} · ${percent(size / load.peak)}`),
      );
      button.type = "button";
      if (doc.id(buffer).length > 32) {
        button.title = doc.id(buffer);
        button.setAttribute("aria-label", `${doc.id(buffer)} ${bytes(size)}`);
      }
      button.style.setProperty("--part", String(size / load.peak));
      button.addEventListener("click", () => hooks.select(buffer));
      button.addEventListener("dblclick", () => hooks.zoomTo(buffer));
      list.append(make("li", "", button));
    }
    out.push(list);
    if (all.length > SHOWN) out.push(make("p", "about", `… and ${whole(all.length - SHOWN)} more: search for “peak”.`));
  }
  root.replaceChildren(...out);
}

/** Lists the rules that a plan breaks. */
export function faults(root, doc) {
  if (doc.faults.length < 2) return root.replaceChildren();
  const list = make("ol", "faults", ...doc.faults.map((text) => make("li", "", text)));
  root.replaceChildren(make("h2", "", "What is not valid"), list);
}

/** Says in a few words what changed between two plans. */
export function difference(root, comparison) {
  if (!comparison) return root.replaceChildren();
  const { counts, a, b } = comparison;
  const list = make("ul", "changes");
  const item = (name, n, text) => {
    if (n) list.append(make("li", name, `${whole(n)} ${text}`));
  };
  item("down", counts.down, "lower");
  item("up", counts.up, "higher");
  item("same", counts.same, "in place");
  item("only", counts.onlyA, `only in ${a.doc.title}`);
  item("only", counts.onlyB, `only in ${b.doc.title}`);
  item("", counts.resized, "of another size or lifespan");
  const heights =
    a.offsets && b.offsets
      ? `Height ${both(a.height)} before, ${both(b.height)} after.`
      : "One of the two has no plan.";
  root.replaceChildren(make("h2", "", "Difference"), make("p", "about", heights), list);
}

/** Returns what there is to say of a buffer, as pairs of name and value. */
export function about(facts, i, comparison, isB) {
  const { doc, shown: offsets } = facts;
  const out = [
    ["Size", both(doc.size[i])],
    ["Lives", `[${whole(doc.lower[i])}, ${whole(doc.upper[i])}), ${count(doc.upper[i] - doc.lower[i], "slot")}`],
  ];
  if (offsets && Number.isNaN(offsets[i])) out.push(["Offset", "not placed at this step"]);
  else if (offsets) out.push(["Offset", span(placeOf(doc, i, offsets[i]), placeOf(doc, i, offsets[i]) + doc.size[i])]);
  if (doc.lanes && doc.lanes[doc.lane[i]].name) out.push(["Pool", doc.lanes[doc.lane[i]].name]);
  for (const { buffer, name, text } of doc.said) if (buffer === i) out.push([name, text]);
  out.push(...linksOf(doc, i));
  if (doc.alignment && doc.alignment[i] > 1) out.push(["Alignment", whole(doc.alignment[i])]);
  const gaps = gapsOf(doc, i);
  if (gaps) out.push(["Gaps", whole(gaps)]);
  out.push(...overlapsOf(doc, offsets, i));
  if (doc.fixed && doc.fixed[i]) out.push(["Place", "demanded"]);
  if (doc.broken[i])
    out.push(
      doc.conflict
        ? ["Conflict", "cannot fit the capacity with the others in this colour"]
        : ["Fault", "breaks a rule of the plan"],
    );
  if (facts.owner[i]) out.push(["Peak", `${percent(doc.size[i] / facts.load.peak)} of it`]);
  if (facts.topmost[i]) out.push(["Height", "ends at it"]);
  if (comparison) {
    const was = (isB ? comparison.ghostB : comparison.ghostA)[i];
    if (was < 0) out.push(["Other plan", "does not have it"]);
    else if (offsets && was !== offsets[i]) {
      const by = offsets[i] - was;
      out.push(["Other plan", `at ${both(was)}: ${by < 0 ? "lower" : "higher"} here by ${both(Math.abs(by))}`]);
    } else out.push(["Other plan", "has it in the same place"]);
  }
  return out;
}

const LINKS = ["Tied to", "At one offset with", "Apart from", "Penalty with", "Pays with"];
const MOST_LINKS = 8; // of each kind, in a card

/** Says which buffers rules name together with one. */
function linksOf(doc, i) {
  const found = LINKS.map(() => []);
  for (let k = 0; k < doc.links.length; k += 4) {
    const [a, b, kind, cost] = doc.links.subarray(k, k + 4);
    if (a !== i && b !== i) continue;
    found[kind].push(doc.id(a === i ? b : a) + (kind > 2 ? ` (${whole(cost)})` : ""));
  }
  return found.flatMap((all, kind) => {
    if (!all.length) return [];
    const rest = all.length > MOST_LINKS ? ` and ${whole(all.length - MOST_LINKS)} more` : "";
    return [[LINKS[kind], all.slice(0, MOST_LINKS).join(", ") + rest]];
  });
}

function gapsOf(doc, i) {
  let n = 0;
  for (let g = 0; g < doc.gaps.length; g += 6) if (doc.gaps[g] === i) n++;
  return n;
}

/** Says which operands a result lies over, and which results lie over an operand. */
function overlapsOf(doc, offsets, i) {
  const out = [];
  if (!offsets) return out;
  for (let k = 0; k < doc.overlaps.length; k += 4) {
    const [result, operand, from] = doc.overlaps.subarray(k, k + 3);
    if (result !== i && operand !== i) continue;
    const distance = offsets[operand] - offsets[result];
    const shared =
      Math.min(offsets[operand] + doc.size[operand], offsets[result] + doc.size[result]) -
      Math.max(offsets[operand], offsets[result]);
    if (!(shared > 0)) continue; // also while one of the two is not placed
    const other = doc.id(result === i ? operand : result);
    out.push([
      result === i ? "Lies over" : "Under",
      `${other} at time ${whole(from)}: ${both(shared)} shared, distance ${whole(distance)}`,
    ]);
  }
  return out;
}

/** Fills a card with what there is to say of a buffer. */
export function card(root, facts, i, comparison, isB) {
  const list = make("dl", "");
  for (const [name, value] of about(facts, i, comparison, isB))
    list.append(make("dt", "", name), make("dd", "", value));
  root.replaceChildren(make("strong", "id", facts.doc.id(i) || "(no name)"), list);
}

/** The same in one sentence, for a reader of screens. */
export function sentence(facts, i, comparison, isB) {
  return (
    facts.doc.id(i) +
    ": " +
    about(facts, i, comparison, isB)
      .map(([name, value]) => `${name} ${value}`)
      .join("; ")
  );
}
