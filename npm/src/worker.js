// The worker of the package in a browser; worker-node.js is node's. It awaits nothing at
// its top: some bundlers make scripts of workers that cannot.

import "../dist/wasm_exec.js";
import { serve } from "./serve.js";

const take = serve((message) => self.postMessage(message));
self.addEventListener("message", (event) => take(event.data));
