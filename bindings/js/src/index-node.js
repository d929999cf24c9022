// Stowage for JavaScript in node. It is index.js with the threads and files of node.

import { coreOf } from "./core.js";
import * as host from "./host-node.js";

export { InputError } from "./faults.js";
export { Order } from "./order.js";
export const { locate } = host;
export const { solve, explain, verify, barriers, close } = coreOf(host);
