// Files that are dropped onto the page, or chosen: planned where the page can plan.
//
// Who plans is not settled here: the page that plans in the browser has a worker, the
// one that the command serves asks the command. A page that was written to a file can
// only show, and has no place to drop anything.

/** Sets dropping up, where window.stowagePlanner is there. */
export function setUpDrop(app) {
  if (!window.stowagePlanner) document.body.classList.add("shows-only");
}
