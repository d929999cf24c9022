// The inside of a worker: it takes messages, and an engine answers them.
//
//	in    { type: "start", source }   { type: "call", id, name, input }   { type: "cancel", id }
//	out   { type: "done", id, out }   { type: "fail", id, fault }         { type: "progress", id, snapshot }
//	      { type: "ended", fault }, once, if no further call can be answered

import { Engine } from "./engine.js";

/** Returns a function that takes messages. post sends messages back. */
export function serve(post) {
  let engine = null;
  const running = new Map(); // the caller's number to the engine's
  const waiting = new Set(); // the caller's numbers of calls that wait for the program
  return async (message) => {
    switch (message.type) {
      case "start":
        engine = Engine.start(message.source);
        engine.then(
          (e) => e.ending.then((fault) => post({ type: "ended", fault })),
          (error) => post({ type: "ended", fault: { message: error.message } }),
        );
        break;
      case "cancel":
        if (waiting.delete(message.id)) break; // the call is cancelled when it begins
        if (running.has(message.id)) (await engine).cancel(running.get(message.id));
        break;
      case "call": {
        const { id, name, input } = message;
        try {
          waiting.add(id);
          const ready = await engine;
          const { id: own, answer } = ready.call(name, input, (snapshot) => post({ type: "progress", id, snapshot }));
          if (!waiting.delete(id)) ready.cancel(own);
          running.set(id, own);
          post({ type: "done", id, out: await answer });
        } catch (fault) {
          post({
            type: "fail",
            id,
            fault: { message: fault.message, input: Boolean(fault.input), issues: fault.issues ?? [] },
          });
        } finally {
          waiting.delete(id);
          running.delete(id);
        }
      }
    }
  };
}
