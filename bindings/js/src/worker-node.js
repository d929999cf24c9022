// The worker of the package in node.

import { parentPort } from "node:worker_threads";

import "../dist/wasm_exec.js";
import { serve } from "./serve.js";

parentPort.on(
  "message",
  serve((message) => parentPort.postMessage(message)),
);
