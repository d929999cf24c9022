// The elements of the page: found, and made.

export function byId(id) {
  return document.getElementById(id);
}

/** Makes an element with a class and children, texts among them. */
export function make(tag, name, ...children) {
  const e = document.createElement(tag);
  if (name) e.className = name;
  e.append(...children);
  return e;
}
