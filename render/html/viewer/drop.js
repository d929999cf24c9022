// Files that are dropped onto the page, or chosen, or pasted: read, shown, and planned
// unless they have a plan. Pages that were written to a file can only show; they have no
// planner, and no place to drop anything.

import { parse, whole } from "./numbers.js";
import { make } from "./panel.js";
import { Planner, docOf } from "./planner.js";

const $ = (id) => document.getElementById(id);

const PLANNERS = ["auto", "exact", "merge", "climb", "first-fit", "sweep"];

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
    this.running = 0; // the number of the call that plans
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
        "CSV, JSON, TensorFlow Lite, ONNX; dumps of XLA, IREE, Inductor and PyTorch’s CUDA allocator; any of them packed with gzip. It is planned here, in the browser. Nothing leaves this machine: the page’s own policy forbids it to load or send anything.",
      ),
      make("div", "row-of", choose, example),
    );
    this.says = make("p", "planning-says");
    this.says.setAttribute("role", "status");
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
    this.go = make("button", "primary", "Plan");
    this.stop = make("button", "", "Stop, keep the best");
    this.stop.hidden = true;
    this.get = make("button", "", "Save plan.csv");
    this.get.hidden = true;
    const bar = make(
      "div",
      "bar needs-plan",
      field("Planner", names),
      field("Capacity", input("plan-capacity", 9, "none")),
      field("Seconds", input("plan-seconds", 4, "10")),
      field("Model", input("plan-dims", 14, "batch=1 seq=128")),
      this.go,
      this.stop,
      this.get,
    );
    for (const b of bar.querySelectorAll("button")) b.type = "button";
    root.append(chooser, welcome, bar, this.says);
    choose.addEventListener("click", () => chooser.click());
    $("open-button").addEventListener("click", () => chooser.click());
    chooser.addEventListener("change", () => {
      this.take([...chooser.files]);
      chooser.value = "";
    });
    example.addEventListener("click", () => this.take([new File([EXAMPLE], "example.csv")]));
    this.go.addEventListener("click", () => this.plan(this.app.a));
    this.stop.addEventListener("click", () => this.planner.cancel(this.running));
    this.get.addEventListener("click", () => this.#save());
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

  /** Reads files, shows them, and plans the first that has no plan. */
  async take(files) {
    if (!files.length) return;
    const docs = [];
    const kept = [];
    for (const file of files) {
      try {
        this.#say(`Reading ${file.name} …`);
        const bytes = new Uint8Array(await file.arrayBuffer());
        const out = await this.planner.call("read", { name: file.name, bytes, ...this.#leftOpen() });
        docs.push(await docOf(out));
        kept.push({ name: file.name, bytes, planned: out.planned, output: null });
        if (out.notes.length) this.notes = out.notes;
      } catch (fault) {
        this.#fail(file.name, fault);
        // What it leaves open can be said, and the file dropped again.
        document.body.classList.toggle("wants-answers", /--dim|--value|--size|open/.test(fault.message));
        return;
      }
    }
    document.body.classList.remove("wants-answers");
    this.files = kept;
    this.get.hidden = true;
    this.app.open(docs);
    this.#say("");
    const bare = kept.findIndex((f) => !f.planned);
    if (bare >= 0) await this.plan(bare);
  }

  /** Plans one of the files; a plan that it came with stays, to be compared with. */
  async plan(at) {
    const file = this.files[at];
    if (!file || this.running) return;
    const seconds = Number($("plan-seconds").value || 10);
    const capacity = $("plan-capacity").value.trim();
    const began = performance.now();
    this.go.hidden = true;
    this.stop.hidden = false;
    try {
      const input = {
        name: file.name,
        bytes: file.bytes,
        ...this.#leftOpen(),
        format: "csv",
        view: true,
        options: {
          planner: $("plan-with").value,
          timeout: seconds * 1000,
          capacity: capacity ? String(Math.round(numberIn(capacity, "capacity"))) : undefined,
          minimize: true,
          ignoreOffsets: file.planned,
        },
      };
      this.#say(`Planning ${file.name} …`);
      const out = await this.planner.call("plan", input, {
        began: (id) => (this.running = id),
        progress: (s) => this.#progress(file.name, s, began),
      });
      const doc = await docOf(out);
      const time = `${((performance.now() - began) / 1000).toFixed(2)} s`;
      if (!out.offsets)
        this.#say(
          `${file.name}: ${out.status}, no plan is known; lower bound ${whole(Number(out.lowerBound))}, ${time}`,
        );
      else
        this.#say(
          `${file.name}: ${out.status}, height ${whole(Number(out.height))}, lower bound ${whole(Number(out.lowerBound))}, by ${out.member || out.planner} in ${time}${out.stopped ? `, stopped by ${out.stopped}` : ""}`,
        );
      if (file.planned) {
        doc.title += ", planned";
        const fresh = { ...file, planned: false, output: out.output };
        this.files.push(fresh);
        this.app.add(doc, at);
      } else {
        file.output = out.output ?? null;
        this.app.replace(at, doc);
      }
      this.get.hidden = !out.output;
    } catch (fault) {
      this.#fail(file.name, fault);
    } finally {
      this.running = 0;
      this.go.hidden = false;
      this.stop.hidden = true;
    }
  }

  #progress(name, s, began) {
    const best = Number(s.height) ? `height ${whole(Number(s.height))}, ` : "";
    this.#say(
      `Planning ${name}: ${best}bound ${whole(Number(s.lowerBound))}, ${whole(s.nodes)} nodes, ${((performance.now() - began) / 1000).toFixed(1)} s`,
    );
  }

  /** Returns what the controls say of what a file leaves open. */
  #leftOpen() {
    const dims = {};
    const values = {};
    for (const pair of $("plan-dims")
      .value.split(/[\s,]+/)
      .filter(Boolean)) {
      const at = pair.lastIndexOf("=");
      if (at < 1) throw new Error(`${pair} is not NAME=N`);
      dims[pair.slice(0, at)] = String(numberIn(pair.slice(at + 1), pair));
    }
    return { dims, values };
  }

  #save() {
    const file = this.files[this.app.a] ?? this.files[0];
    const shown = this.files.findLast((f) => f.output) ?? file;
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([shown.output], { type: "text/csv" }));
    link.download = shown.name.replace(/(\.\w+)?(\.gz)?$/, "") + "-plan.csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  #say(text) {
    this.says.classList.remove("bad");
    this.says.textContent = text;
  }

  #fail(name, fault) {
    this.says.classList.add("bad");
    this.says.textContent = fault.message.startsWith(name) ? fault.message : `${name}: ${fault.message}`;
  }
}

/** Reads a number, of bytes or others. */
function numberIn(text, what) {
  const value = parse(text);
  if (Number.isNaN(value)) throw new Error(`${what}: ${text} is not a number`);
  return value;
}
