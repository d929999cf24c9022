// Stowage for JavaScript: buffers in, offsets out. index.d.ts has its types, and
// docs/javascript.md is the guide. index-node.js is the same for node.

import { coreOf } from "./core.js";
import * as host from "./host.js";

export { InputError } from "./faults.js";
export { Order } from "./order.js";
export const { locate } = host;
export const { solve, explain, verify, barriers, close } = coreOf(host);
