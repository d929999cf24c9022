// Which colour a buffer has, in the light and in the dark.
//
// A buffer has a kind, a small number; a palette has a fill and an edge for each kind. So a change of theme or of what
// is searched for touches a table or a byte for each buffer, never the pixels' loop.
//
// Which of the eight colours a buffer has is decided by package internal/colour, for the SVG as for the viewer, and
// comes with the data. The colours are the same here and there: Paul Tol's "light" scheme (SRON technical note 09-002,
// 2021). The scales are viridis, in sixteen steps (van der Walt and Smith, 2015), without its ends. All are distinct in
// the common forms of colour vision.

const CATEGORIES = ["77AADD", "EE8866", "BBCC33", "FFAABB", "44BB99", "EEDD88", "99DDFF", "AAAA00"];
const SCALE = [
  "482475",
  "463480",
  "414487",
  "3B528B",
  "355F8D",
  "2F6C8E",
  "2A788E",
  "25848E",
  "21918C",
  "1E9C89",
  "22A884",
  "2FB47C",
  "44BF70",
  "5EC962",
  "7AD151",
  "9BD93C",
];
const NAMED = {
  plain: { light: "C9D1DB", dark: "4A5361" },
  peak: { light: "F0A030", dark: "F0A030" },
  top: { light: "E0503C", dark: "F0604A" },
  same: { light: "CBD3DD", dark: "464F5C" },
  down: { light: "3FA97C", dark: "46BD8B" },
  up: { light: "E58A45", dark: "EE9A55" },
  only: { light: "9B7FD4", dark: "AB90E6" },
  broken: { light: "E0321C", dark: "FF4D38" },
  found: { light: "1F4FD8", dark: "8FB4FF" },
};

/** The kinds: eight categories, sixteen steps of a scale, and those with a name; up to 64. */
export const KIND = { category: 0, scale: 8 };
Object.keys(NAMED).forEach((name, k) => (KIND[name] = 24 + k));

// What a search places, while its moves are played: what stays is a plain colour, what does not one that warns.
KIND.stays = KIND.category;
KIND.tried = KIND.up;
KIND.back = KIND.broken;

/** Added to a kind, for a buffer that a search leaves out. */
export const FADED = 64;

const GROUPED = { operator: "Operator", prefix: "Name prefix" };

/** What the buffers of a document can be coloured by, the best first. */
export function modesOf(doc) {
  return [...doc.groupings.map(({ by }) => ({ id: by, name: GROUPED[by] })), ...MODES];
}

const MODES = [
  { id: "buffer", name: "Buffer" },
  { id: "size", name: "Size" },
  { id: "life", name: "Lifespan" },
  { id: "peak", name: "Owners of the peak" },
];

function channels(hex) {
  return [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

function mix(a, b, part) {
  return a.map((x, k) => Math.round(x + (b[k] - x) * part));
}

/** A pixel as canvases hold it on a machine with little ends, which all are that run browsers. */
function pixel([r, g, b]) {
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

export function css([r, g, b]) {
  return `rgb(${r} ${g} ${b})`;
}

export function hex(rgb) {
  return "#" + rgb.map((x) => x.toString(16).padStart(2, "0")).join("");
}

/** A palette for a theme. */
export class Palette {
  constructor(dark) {
    this.dark = dark;
    const background = dark ? [21, 25, 31] : [255, 255, 255];
    const fills = [];
    for (const c of CATEGORIES) fills.push(dark ? mix(channels(c), background, 0.14) : channels(c));
    for (const c of SCALE) fills.push(mix(channels(c), [255, 255, 255], 0.12));
    for (const c of Object.values(NAMED)) fills.push(channels(dark ? c.dark : c.light));
    this.fills = [];
    this.fill = new Uint32Array(2 * FADED);
    this.edge = new Uint32Array(2 * FADED);
    fills.forEach((c, k) => {
      const faded = mix(c, background, 0.84);
      this.fills[k] = c;
      this.fills[k + FADED] = faded;
      this.fill[k] = pixel(c);
      this.fill[k + FADED] = pixel(faded);
      this.edge[k] = pixel(mix(c, dark ? background : [20, 30, 45], dark ? 0.55 : 0.42));
      this.edge[k + FADED] = pixel(mix(faded, dark ? [255, 255, 255] : [0, 0, 0], 0.08));
    });
  }

  /** Returns the colour of letters on a kind. */
  ink(kind) {
    const [r, g, b] = this.fills[kind];
    const light = 0.299 * r + 0.587 * g + 0.114 * b;
    if (kind >= FADED) return this.dark ? "rgb(120 128 140)" : "rgb(150 158 168)";
    return light > 120 ? "rgb(16 20 26)" : "rgb(250 250 250)";
  }
}

/** Returns the kind of each buffer of a document under a mode. */
export function kindsOf(facts, mode) {
  const { doc } = facts;
  const kinds = new Uint8Array(doc.n);
  switch (mode) {
    case "size":
      scaled(kinds, (i) => doc.size[i]);
      break;
    case "life":
      scaled(kinds, (i) => doc.upper[i] - doc.lower[i]);
      break;
    case "peak":
      kinds.fill(KIND.plain);
      for (let i = 0; i < doc.n; i++) if (facts.owner[i]) kinds[i] = KIND.peak;
      for (let i = 0; i < doc.n; i++) if (facts.topmost[i]) kinds[i] = KIND.top;
      break;
    default: {
      const of = doc.groupings.find(({ by }) => by === mode)?.of ?? doc.apart;
      for (let i = 0; i < doc.n; i++) kinds[i] = of[i] < CATEGORIES.length ? KIND.category + of[i] : KIND.plain;
    }
  }
  for (let i = 0; i < doc.n; i++) if (doc.broken[i]) kinds[i] = KIND.broken;
  return kinds;
}

/**
 * Gives the buffers of a second plan the colours that the first has for them; those that
 * it has not have the colour of the group of their name.
 */
export function borrow(kinds, facts, first, toA, mode) {
  const theirs = kindsOf(first, mode);
  const names = first.doc.groupings.find(({ by }) => by === mode)?.names;
  const own = facts.doc.groupings.find(({ by }) => by === mode);
  const group = own?.names.map((name) => names?.indexOf(name) ?? -1);
  for (let j = 0; j < kinds.length; j++) {
    if (kinds[j] === KIND.broken) continue;
    const i = toA[j];
    if (i >= 0) {
      if (theirs[i] !== KIND.broken) kinds[j] = theirs[i];
    } else if (names) {
      const k = group?.[own.of[j]] ?? -1;
      kinds[j] = k >= 0 ? KIND.category + k : KIND.plain;
    }
  }
}

/** Spreads values over the scale by their logarithms. */
function scaled(kinds, value) {
  let least = Infinity;
  let most = 0;
  for (let i = 0; i < kinds.length; i++) {
    const v = value(i);
    if (v < least) least = v;
    if (v > most) most = v;
  }
  const range = Math.log(most / least) || 1;
  for (let i = 0; i < kinds.length; i++) {
    kinds[i] = KIND.scale + Math.min(15, Math.floor((16 * Math.log(value(i) / least)) / range));
  }
}
