// Runs a program of Stowage's WebAssembly in the calling thread, and passes calls to it.
//
// The other side is bindings/js/wasm/bridge. The program calls stowageStart with the function that
// takes calls, and gets the functions for its answers. Go's own wasm_exec.js must have been
// loaded before: it makes globalThis.Go.

let starting = Promise.resolve(); // programs start one after the other, because all use the name stowageStart

export class Engine {
  #calls = new Map();
  #last = 0;
  #call = null;
  #ended = null; // once the program has ended, the error of all later calls
  #tellEnd;

  /** Resolves with the fault that ended the program. It stays pending while the program runs. */
  ending = new Promise((resolve) => (this.#tellEnd = resolve));

  /** Whether the program has ended. It then answers no call. */
  get ended() {
    return this.#ended !== null;
  }

  /** Starts a program, given as bytes or as a compiled module. */
  static start(source) {
    const started = starting.then(async () => {
      const engine = new Engine();
      await engine.#run(source instanceof WebAssembly.Module ? source : await compiled(source));
      return engine;
    });
    starting = started.catch(() => {});
    return started;
  }

  async #run(module) {
    const go = new globalThis.Go();
    const told = new Promise((resolve) => {
      globalThis.stowageStart = (call) => {
        resolve(call);
        return {
          done: (id, out) => this.#take(id).resolve(out),
          fail: (id, fault) => this.#take(id).reject(fault),
          progress: (id, snapshot) => this.#calls.get(id)?.progress?.(snapshot),
        };
      };
    });
    const ended = go.run(await WebAssembly.instantiate(module, go.importObject)).then(() => {
      // A program returns only if it ran out of memory or has a mistake.
      this.#ended = { message: "the planner ended: out of memory, or a mistake in it", input: false, issues: [] };
      for (const [id] of this.#calls) this.#take(id).reject(this.#ended);
      this.#tellEnd(this.#ended);
    });
    this.#call = await Promise.race([told, ended]);
    if (this.#ended) throw new Error(this.#ended.message);
  }

  #take(id) {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    return call ?? { resolve() {}, reject() {} };
  }

  /**
   * Calls an operation. It returns the number of the call, and a promise of the answer. The
   * promise rejects with { message, input, issues }.
   */
  call(name, input, progress) {
    const id = ++this.#last;
    const answer = new Promise((resolve, reject) => this.#calls.set(id, { resolve, reject, progress }));
    if (this.#ended) this.#take(id).reject(this.#ended);
    else this.#call(name, id, input);
    return { id, answer };
  }

  /** Ends a search. It then answers with its best plan. */
  cancel(id) {
    if (!this.#ended) this.#call("cancel", id, null);
  }
}

/**
 * Compiles a program. If the policy of the page forbids that, the error says what to do. Only the thread that shows a
 * page must not wait for that. All others do: in node 20, WebAssembly.compile at times never ends if another thread has
 * compiled the same program.
 */
async function compiled(source) {
  try {
    return typeof document === "undefined" ? new WebAssembly.Module(source) : await WebAssembly.compile(source);
  } catch (error) {
    if (!/content security policy|unsafe-eval/i.test(error.message)) throw error;
    throw new Error("this page's Content-Security-Policy forbids WebAssembly: script-src needs 'wasm-unsafe-eval'", {
      cause: error,
    });
  }
}
