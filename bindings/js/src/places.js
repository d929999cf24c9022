// The places of the package's files, if they have been set.

import { InputError } from "./faults.js";

const NAMES = ["worker", "core", "files"];

/** Returns a store of places: locate sets them, and of returns one. */
export function placesOf() {
  const known = {};
  return {
    locate(places) {
      if (!places || typeof places !== "object") throw new InputError("locate: must be an object with places");
      for (const [name, place] of Object.entries(places)) {
        if (!NAMES.includes(name)) throw new InputError(`locate: "${name}" is not one of ${NAMES.join(", ")}`);
        if (place !== undefined && typeof place !== "string" && !(place instanceof URL))
          throw new InputError(`locate: ${name} must be text or a URL`);
        known[name] = place;
      }
    },
    of: (name) => known[name],
  };
}
