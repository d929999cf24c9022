// Where the files of the package are, when that is said.

import { InputError } from "./faults.js";

const NAMES = ["worker", "core", "files"];

/** Returns a memory of places: locate sets them, of tells them. */
export function placesOf() {
  const known = {};
  return {
    locate(places) {
      for (const [name, place] of Object.entries(places)) {
        if (!NAMES.includes(name)) throw new InputError(`locate: "${name}" is not one of ${NAMES.join(", ")}`);
        known[name] = place;
      }
    },
    of: (name) => known[name],
  };
}
