// The worker of the package, in a browser and in node.

import "../dist/wasm_exec.js";
import { serve } from "./serve.js";

if (typeof WorkerGlobalScope === "undefined") {
  const { parentPort } = await import("node:worker_threads");
  parentPort.on(
    "message",
    serve((message) => parentPort.postMessage(message)),
  );
} else {
  const take = serve((message) => self.postMessage(message));
  self.addEventListener("message", (event) => take(event.data));
}
