// The worker of the package in a browser; worker-node.js is that of node. It has no await at
// its top level, because some bundlers make workers into scripts, which cannot have one.

import "../dist/wasm_exec.js";
import { serve } from "./serve.js";

const take = serve((message) => self.postMessage(message));
self.addEventListener("message", (event) => take(event.data));
