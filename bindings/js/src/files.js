// Stowage for JavaScript, with files. files.d.ts has its types, and docs/javascript.md is the
// guide. files-node.js is the same for node.

import * as host from "./host.js";
import { readersOf } from "./readers.js";

export { InputError } from "./faults.js";
export const { locate } = host;
export const { plan, planModel, explain, read, planners, close } = readersOf(host);
