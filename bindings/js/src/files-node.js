// Stowage for JavaScript in node, with files. It is files.js with the threads and files of node.

import * as host from "./host-node.js";
import { readersOf } from "./readers.js";

export { InputError } from "./faults.js";
export const { locate } = host;
export const { plan, planModel, explain, read, planners, close } = readersOf(host);
