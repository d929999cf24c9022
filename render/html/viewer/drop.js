// Files that are dropped onto the page, or chosen, or pasted: read, shown, and planned unless they have a plan. Pages
// that were written to a file can only show; they have no planner, and no place to drop anything.

import { byId as $, make } from "./dom.js";
import { digits, parse, whole } from "./numbers.js";
import { Planner, docOf } from "./planner.js";

const PLANNERS = ["auto", "exact", "merge", "beam", "rows", "climb", "first-fit", "boxing", "tela", "minimalloc", "core", "sweep"];

/** What may be said of a model, where it leaves it open: the fields, by what the reader calls them. */
const OPEN = [
  { option: "--dim", id: "plan-dims", name: "Dimensions", hint: "batch=1 seq=128" },
  { option: "--shape", id: "plan-shapes", name: "Shapes", hint: "input=1x3x16x16:float32" },
  { option: "--value", id: "plan-values", name: "Values", hint: "steps=4" },
  { option: "--size", id: "plan-sizes", name: "Sizes", hint: "scores=64KiB" },
  { option: "--alignment", id: "plan-alignment", name: "Alignment", hint: "64" },
];

/** What the end of a lifespan may mean. Go: times.Ends. */
const ENDS = { inclusive: "the last time of a buffer", "half-open": "one past the last time" };

/** The libraries of kernels that firmware may have. Go: tflm.NewestSets. */
const KERNELS = ["reference", "cmsis-nn-mve", "cmsis-nn-dsp", "cmsis-nn-c", "esp-nn", "esp-nn-p4", "esp-nn-c"];

/** Why a search ended before its answer, in words of the page. */
const STOPPED = {
  timeout: "the time was up",
  interrupt: "stopped",
  nodes: "the limit of nodes was met",
  effort: "its effort was spent",
};

/** What can be saved of a plan: by the end of the name, and its kind for browsers. */
const SAVES = {
  tflite: { name: ".tflite", type: "application/octet-stream", of: (out) => out.files?.tflite },
  h: { name: ".h", type: "text/plain", of: (out) => out.files?.h },
  cc: { name: ".cc", type: "text/plain", of: (out) => out.files?.cc },
  csv: { name: "-plan.csv", type: "text/csv", of: (out) => out.output },
};

const EXAMPLE = `id,lower,upper,size
input,0,2,150528
conv1,1,4,802816
pool1,3,9,200704
conv2a,4,6,401408
conv2b,5,8,401408
add2,7,11,200704
conv3,9,12,301056
pool3,11,14,75264
dense,13,16,16384
logits,15,17,4000
`;

/** Sets dropping up, where the page can plan. */
export function setUpDrop(app) {
  const program = $("planner-wasm");
  if (!program) {
    document.body.classList.add("shows-only");
    return;
  }
  app.drop = new Drop(app, new Planner($("planner-worker"), program));
}

class Drop {
  constructor(app, planner) {
    this.app = app;
    this.planner = planner;
    this.files = []; // beside app.files: the name and the bytes of each
    this.given = []; // the files that were dropped last, to be read again
    this.endsSaid = ""; // what end means, if it was said
    this.said = ""; // what the fields said of the model when they were
    this.turn = 0; // of dropping: what comes of an earlier one is nobody's any more
    this.running = 0; // the number of the call that plans
    this.busy = false; // whether there is such a call, or will be
    this.#build();
    this.#listen();
  }

  /** Makes the bar of controls, and what the page has while it is empty. */
  #build() {
    const root = $("drop");
    const chooser = (this.chooser = make("input"));
    chooser.type = "file";
    chooser.multiple = true;
    chooser.hidden = true;
    const choose = make("button", "primary", "Choose files");
    const example = make("button", "", "Try an example");
    const welcome = make(
      "div",
      "welcome",
      make("h2", "", "Drop a problem, a plan or a model here"),
      make(
        "p",
        "",
        "CSV, JSON (also that of dsa-solver), TensorFlow Lite, ONNX; dumps of XLA, IREE, Inductor, ggml and PyTorch’s CUDA allocator; traces and plans of arenas; any of them packed with gzip. It is planned here, in the browser. Nothing leaves this machine: the page’s own policy forbids it to load or send anything.",
      ),
      make("div", "row-of", choose, example),
    );
    this.says = make("p", "planning-says");
    this.says.setAttribute("role", "status"); // how a search goes on is not read aloud: see #say
    const field = (text, input) => make("label", "field", text + " ", input);
    const input = (id, width, placeholder) => {
      const e = make("input");
      e.id = id;
      e.size = width;
      e.placeholder = placeholder;
      e.autocomplete = "off";
      e.spellcheck = false;
      return e;
    };
    const names = make("select");
    names.id = "plan-with";
    for (const name of PLANNERS) names.append(new Option(name));
    this.kernels = make("select");
    this.kernels.id = "plan-kernels";
    this.kernels.append(new Option("not said", ""), ...KERNELS.map((name) => new Option(name)));
    this.kernelField = field("Kernels", this.kernels);
    this.kernelField.hidden = true;
    this.go = make("button", "primary", "Plan");
    this.stop = make("button", "", "Stop, keep the best");
    this.stop.hidden = true;
    this.get = make("span", "saves");
    this.get.hidden = true;
    this.arenas = make("div", "arenas needs-plan");
    const heap = (this.heap = make("select"));
    heap.id = "plan-heap";
    this.heapField = field("Heap", heap);
    this.heapField.hidden = true;
    // Only a table in which end leaves open what it means has this control.
    this.ends = make("select");
    this.ends.id = "plan-ends";
    for (const word of Object.keys(ENDS)) this.ends.append(new Option(word, word)); // short, or the bar cuts it off
    this.ends.title = Object.entries(ENDS).map(([word, means]) => `${word}: ${means}`).join("; ");
    this.endsField = field("End is", this.ends);
    this.endsField.hidden = true;
    const open = (this.open = make(
      "details",
      "menu form",
      make("summary", "", "Model…"),
      make("div", "", ...OPEN.map(({ id, name, hint }) => field(name, input(id, 16, hint))), this.heapField),
    ));
    const bar = make(
      "div",
      "bar needs-plan",
      field("Planner", names),
      field("Capacity", input("plan-capacity", 9, "none")),
      field("Seconds", input("plan-seconds", 4, "10")),
      this.kernelField,
      this.endsField,
      open,
      this.go,
      this.stop,
      this.get,
    );
    for (const b of bar.querySelectorAll("button")) b.type = "button";
    root.append(chooser, welcome, bar, this.says, this.arenas);
    choose.addEventListener("click", () => chooser.click());
    $("open-button").addEventListener("click", () => chooser.click());
    chooser.addEventListener("change", () => {
      this.take([...chooser.files]);
      chooser.value = "";
    });
    example.addEventListener("click", () => this.take([new File([EXAMPLE], "example.csv")]));
    this.go.addEventListener("click", () => this.#go());
    bar.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && event.target.tagName === "INPUT") this.#go();
      if (event.key === "Escape") open.open = false;
    });
    heap.addEventListener("change", () => this.take(this.given));
    this.ends.addEventListener("change", () => {
      this.endsSaid = this.ends.value;
      this.take(this.given);
    });
    this.stop.addEventListener("click", () => this.planner.cancel(this.running));
  }

  #listen() {
    const over = (event) => {
      event.preventDefault();
      document.body.classList.toggle("dragging", event.type === "dragover");
    };
    for (const type of ["dragover", "dragleave", "drop"]) document.addEventListener(type, over);
    document.addEventListener("drop", (event) => this.take([...event.dataTransfer.files]));
    document.addEventListener("paste", (event) => {
      if (/^(INPUT|TEXTAREA)$/.test(event.target.tagName)) return;
      const text = event.clipboardData.getData("text");
      if (event.clipboardData.files.length) this.take([...event.clipboardData.files]);
      else if (text.trim()) this.take([new File([text], "pasted")]);
    });
  }

  /** Forgets what was said of the file before: it is not true of another. */
  #fresh() {
    this.heap.replaceChildren();
    this.endsSaid = "";
    if (!this.given.length) return; // what is typed before the first file is of that
    for (const id of ["plan-capacity", ...OPEN.map((o) => o.id)]) $(id).value = "";
  }

  /** Plans what is shown; files of which something was open, or of which more is said now, are read anew. */
  #go() {
    if (this.busy) return;
    if (this.given.length && (!this.files.length || this.said !== this.#saying())) this.take(this.given);
    else this.plan(this.app.a);
  }

  /** Reads files, shows them, and plans the first that has no plan. A search that goes on is ended. */
  async take(files) {
    if (!files.length) return;
    const turn = ++this.turn;
    if (this.busy) this.planner.cancel(this.running);
    this.#rest();
    if (files !== this.given) this.#fresh();
    this.given = files;
    this.said = this.#saying();
    const docs = [];
    const kept = [];
    let ends; // how the ends of one of them were read; undefined if all are called upper
    this.endsField.hidden = true;
    const helps = helpers(files);
    for (const file of files) {
      if (helps.has(file)) continue;
      try {
        this.#say(`Reading ${file.name} …`);
        const bytes = new Uint8Array(await file.arrayBuffer());
        const beside = {};
        for (const other of helps) beside[other.name] = new Uint8Array(await other.arrayBuffer());
        const out = await this.planner.call("read", { name: file.name, bytes, beside, ...this.#leftOpen() });
        const doc = await docOf(out);
        if (turn !== this.turn) return;
        docs.push(doc);
        kept.push({ name: file.name, head: out.head, bytes, beside, planned: out.planned, made: null });
        this.#heaps(out.heaps);
        ends ||= out.ends;
      } catch (fault) {
        // So browsers say of a folder that is dropped.
        const gone = fault.name === "NotFoundError" || fault.name === "NotReadableError";
        if (turn === this.turn)
          this.#unread(file.name, gone ? { message: "cannot be read; of a folder, drop the files in it" } : fault);
        return;
      }
    }
    document.body.classList.remove("wants-answers");
    this.open.open = false;
    this.endsField.hidden = !ends;
    if (ends) this.ends.value = ends;
    this.files = kept;
    this.#offer();
    this.app.open(docs);
    this.#say("");
    const bare = kept.findIndex((f) => !f.planned);
    if (bare >= 0) await this.plan(bare);
  }

  /**
   * Says why a file could not be read. What is in sight is of another file, so it goes;
   * what the file leaves open can be said, and Plan reads it again.
   */
  #unread(name, fault) {
    this.files = [];
    this.#offer();
    this.app.clear();
    const asked = OPEN.find(({ option }) => fault.message.includes(option + " "));
    const ends = fault.message.includes("--ends ");
    document.body.classList.toggle("wants-answers", Boolean(asked || ends));
    this.#fail(name, fault);
    if (ends) {
      this.says.textContent = this.says.textContent.replaceAll("--ends ", "");
      this.endsField.hidden = false;
      this.ends.selectedIndex = this.endsSaid ? this.ends.selectedIndex : -1;
      this.ends.focus();
    }
    if (!asked) return;
    this.says.textContent = this.says.textContent.replace(
      /; give them, as with --\w+ (\S+)|, as with --\w+ (\S+)/g,
      (_, a, b) => `. Give them under Model, as ${asked.name} ${a ?? b}, and press Plan.`,
    );
    this.open.open = true;
    $(asked.id).focus();
  }

  /** Offers the heaps of a dump, where there are several. */
  #heaps(names) {
    this.heapField.hidden = names.length < 2;
    if (names.length < 2 || this.heap.options.length) return;
    this.heap.append(new Option("the largest", ""), ...names.map((name) => new Option(name)));
  }

  /** Plans one of the files; a plan that it came with stays, to be compared with. */
  async plan(at) {
    const file = this.files[at];
    if (!file || this.busy) return;
    const turn = this.turn;
    const began = performance.now();
    this.busy = true;
    this.go.hidden = true;
    this.stop.hidden = false;
    try {
      const seconds = numberIn($("plan-seconds").value.trim() || "10", "seconds");
      const capacity = $("plan-capacity").value.trim();
      const input = {
        name: file.name,
        bytes: file.bytes,
        beside: file.beside,
        ...this.#leftOpen(),
        kernels: this.kernels.value || undefined,
        format: "csv",
        view: true,
        options: {
          planner: $("plan-with").value,
          timeoutMs: seconds * 1000,
          capacity: capacity ? BigInt(Math.round(numberIn(capacity, "capacity"))).toString() : undefined,
          minimize: true,
          ignoreOffsets: file.planned,
        },
      };
      this.#say(`Planning ${file.name} …`);
      const out = await this.planner.call(file.head ? "planModel" : "plan", input, {
        began: (id) => {
          this.running = id;
          if (turn !== this.turn) this.planner.cancel(id);
        },
        progress: (s) => turn === this.turn && this.#progress(file, at, s, began),
      });
      const doc = await docOf(out);
      if (turn !== this.turn) return;
      const ends = out.ends && !this.endsField.hidden ? `; ends are read as ${out.ends}: see End is` : "";
      this.#say(`${file.name}: ${outcome(out, ((performance.now() - began) / 1000).toFixed(2))}${ends}`);
      if (file.planned) {
        doc.title += ", planned";
        this.files.push({ ...file, planned: false, made: out });
        this.app.add(doc, at);
      } else {
        file.made = out;
        this.app.replace(at, doc);
      }
      this.#offer();
    } catch (fault) {
      if (turn === this.turn) this.#fail(file.name, fault);
    } finally {
      if (turn === this.turn) this.#rest();
    }
  }

  /** Nothing is being planned, or nothing that anybody waits for. */
  #rest() {
    this.busy = false;
    this.running = 0;
    this.go.hidden = false;
    this.stop.hidden = true;
  }

  /** Tells how a search goes, and shows its plan where there is none yet. */
  #progress(file, at, s, began) {
    const best = Number(s.height) ? `height ${digits(s.height)}, ` : "";
    this.#say(
      `Planning ${file.name}: ${best}bound ${digits(s.lowerBound)}, ${whole(s.nodes)} nodes, ${((performance.now() - began) / 1000).toFixed(1)} s`,
      false,
    );
    if (s.offsets && !file.planned) this.app.glimpse(at, Float64Array.from(s.offsets, Number));
  }

  /** Returns what the controls say of what a file leaves open. */
  #leftOpen() {
    const pairs = (id, kind = "N", read = (text, pair) => String(numberIn(text, pair))) => {
      const out = {};
      for (const pair of $(id)
        .value.split(/[\s,]+/)
        .filter(Boolean)) {
        const at = pair.lastIndexOf("=");
        if (at < 1) throw new Error(`${pair} is not NAME=${kind}`);
        out[pair.slice(0, at)] = read(pair.slice(at + 1), pair);
      }
      return out;
    };
    const alignment = $("plan-alignment").value.trim();
    return {
      dims: pairs("plan-dims"),
      shapes: pairs("plan-shapes", "DIMS:TYPE", (text) => text),
      values: pairs("plan-values"),
      sizes: pairs("plan-sizes"),
      alignment: alignment ? String(numberIn(alignment, "alignment")) : undefined,
      heap: this.heap.value || undefined,
      ends: this.endsSaid || undefined,
    };
  }

  /** The same as text, bad or not. */
  #saying() {
    return OPEN.map(({ id }) => $(id).value).join("\n") + "\n" + this.heap.value;
  }

  /** The file whose plan is on the screen, or the last that has one. */
  #shown() {
    const { a, b } = this.app;
    return [this.files[b], this.files[a], ...this.files.toReversed()].find((f) => f?.made);
  }

  /** Offers what can be saved of the plan, and shows what it makes of the arena. */
  #offer() {
    const made = this.#shown()?.made;
    const kinds = Object.keys(SAVES).filter((kind) => made && SAVES[kind].of(made));
    this.get.replaceChildren(
      ...kinds.map((kind) => {
        const button = make("button", "", `Save ${kind === "csv" ? "plan.csv" : SAVES[kind].name}`);
        button.type = "button";
        button.addEventListener("click", () => this.#save(kind));
        return button;
      }),
    );
    this.get.hidden = !kinds.length;
    this.kernelField.hidden = !this.files.some((f) => f.head);
    const notes = (made?.arenaNotes ?? []).map((note) => make("p", "", note));
    this.arenas.replaceChildren(...(made?.arenas ? [arenaTable(made.arenas), ...notes] : []));
  }

  #save(kind) {
    const shown = this.#shown();
    if (!shown) return;
    const { name, type, of } = SAVES[kind];
    const base = shown.name.replace(/\.gz$/, "").replace(/\.\w+$/, "");
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([of(shown.made)], { type }));
    link.download = base + (kind === "tflite" ? "-planned" : "") + name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  /** Says something below the controls, aloud too unless it will change at once. */
  #say(text, aloud = true) {
    this.says.setAttribute("aria-live", aloud ? "polite" : "off");
    this.says.classList.remove("bad");
    this.says.textContent = text;
  }

  #fail(name, fault) {
    this.says.setAttribute("aria-live", "polite");
    this.says.classList.add("bad");
    this.says.textContent = fault.message.startsWith(name) ? fault.message : `${name}: ${fault.message}`;
  }
}

/** Shows the number that firmware reserves: with the model as it is, and with the plan. */
function arenaTable(arenas) {
  const table = make("table", "");
  const row = (kind, ...cells) => {
    const line = make("tr", "");
    cells.forEach((cell, k) => line.append(make(k && kind === "td" ? "td" : "th", "", cell)));
    return line;
  };
  const least = arenas.some((a) => a.atLeast) ? ", at least" : "";
  table.append(make("caption", "", `kTensorArenaSize in bytes${least}`));
  table.append(row("th", "", "as it is", "planned", "saved"));
  for (const { target, before, planned } of arenas) {
    const saved = Number(before) - Number(planned);
    table.append(
      row(
        "td",
        target,
        digits(before),
        digits(planned),
        saved ? `${digits(String(saved))} (${((100 * saved) / Number(before)).toFixed(1)}%)` : "nothing",
      ),
    );
  }
  return table;
}

/** Returns the files that belong to others: the texts beside XLA's assignments. */
function helpers(files) {
  const names = files.map(({ name }) => name);
  const helps = (name) =>
    ["-live-range.txt", "-buffer-assignment-values.txt"].some(
      (end) => name.endsWith(end) && names.includes(name.slice(0, -end.length) + "-buffer-assignment.txt"),
    );
  return new Set(files.filter(({ name }) => helps(name)));
}

/** Says what came of a search, in a few words. */
function outcome(out, seconds) {
  const bound = digits(out.lowerBound);
  if (out.fit && !out.offsets) return `${out.fit}, ${seconds} s`;
  const why = out.stopped ? `; ${STOPPED[out.stopped] ?? out.stopped}` : "";
  if (out.status === "infeasible") return `infeasible, no plan is lower than ${bound}, ${seconds} s`; // the warning above says why
  if (!out.offsets) return `no plan was found, lower bound ${bound}${why}, ${seconds} s`;
  const by = out.foundBy !== out.planner ? `${out.planner} (${out.foundBy})` : out.planner;
  const fits = out.fit ? `${out.fit}; ` : "";
  return `${fits}${out.status}, height ${digits(out.height)}, lower bound ${bound}, by ${by}${why}, ${seconds} s`;
}

/** Reads a number, of bytes or others. */
function numberIn(text, what) {
  const value = parse(text);
  if (Number.isNaN(value)) throw new Error(`${what}: ${text} is not a number`);
  return value;
}
