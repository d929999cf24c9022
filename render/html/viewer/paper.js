// What a picture is drawn on that is to be kept: SVG or PDF, with the same calls.
//
// Both have the origin at the top left and lengths in CSS pixels; letters are Helvetica
// or what stands for it. PDF has letters of Latin-1 only in the fonts that every reader
// has; others are written as question marks, and SVG is the picture to take for them.

import { PRINT, widthOf } from "./letters.js";

const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const round = (x) => String(Math.round(x * 100) / 100);

export class SVG {
  constructor(width, height) {
    this.size = [width, height];
    this.out = [];
  }

  rect(x, y, w, h, fill, stroke) {
    const edge = stroke ? ` stroke="${stroke}" stroke-width=".6"` : "";
    this.out.push(
      `<rect x="${round(x)}" y="${round(y)}" width="${round(w)}" height="${round(h)}" fill="${fill}"${edge}/>`,
    );
  }

  line(x0, y0, x1, y1, colour, width = 1, dash = []) {
    const dashes = dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : "";
    this.out.push(
      `<line x1="${round(x0)}" y1="${round(y0)}" x2="${round(x1)}" y2="${round(y1)}" stroke="${colour}" stroke-width="${width}"${dashes}/>`,
    );
  }

  /** Writes a text on its baseline; upright reads upwards, turned about (x, y). */
  text(x, y, text, size, colour, { anchor = "start", bold = false, upright = false } = {}) {
    const turn = upright ? ` transform="rotate(-90 ${round(x)} ${round(y)})"` : "";
    const escaped = text.replace(/[&<>"]/g, (c) => escapes[c]).replace(/[\u0000-\u001f]/g, " ");
    this.out.push(
      `<text x="${round(x)}" y="${round(y)}" font-size="${size}" fill="${colour}" text-anchor="${anchor}"${bold ? ' font-weight="bold"' : ""}${turn}>${escaped}</text>`,
    );
  }

  /** Puts a canvas into a rectangle. */
  image(x, y, w, h, canvas) {
    this.out.push(
      `<image x="${round(x)}" y="${round(y)}" width="${round(w)}" height="${round(h)}" href="${canvas.toDataURL("image/png")}"/>`,
    );
  }

  async blob() {
    const [w, h] = this.size;
    const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" font-family="${PRINT}">`;
    return new Blob([head + "\n" + this.out.join("\n") + "\n</svg>\n"], { type: "image/svg+xml" });
  }
}

export class PDF {
  constructor(width, height) {
    this.size = [width, height];
    this.out = [];
    this.images = [];
  }

  /** PDF counts from the bottom. */
  #y(y) {
    return round(this.size[1] - y);
  }

  rect(x, y, w, h, fill, stroke) {
    const box = `${round(x)} ${this.#y(y + h)} ${round(w)} ${round(h)} re`;
    this.out.push(`${channels(fill)} rg ${box} f`);
    if (stroke) this.out.push(`${channels(stroke)} RG .6 w ${box} S`);
  }

  line(x0, y0, x1, y1, colour, width = 1, dash = []) {
    this.out.push(
      `${channels(colour)} RG ${width} w [${dash.join(" ")}] 0 d ${round(x0)} ${this.#y(y0)} m ${round(x1)} ${this.#y(y1)} l S [] 0 d`,
    );
  }

  text(x, y, text, size, colour, { anchor = "start", bold = false, upright = false } = {}) {
    const font = bold ? "F2" : "F1";
    const wide = widthOf(text, PRINT) * size;
    const back = anchor === "end" ? wide : anchor === "middle" ? wide / 2 : 0;
    const at = upright ? `0 1 -1 0 ${round(x)} ${this.#y(y + back)}` : `1 0 0 1 ${round(x - back)} ${this.#y(y)}`;
    this.out.push(`BT ${channels(colour)} rg /${font} ${size} Tf ${at} Tm (${latin(text)}) Tj ET`);
  }

  image(x, y, w, h, canvas) {
    this.images.push(canvas);
    this.out.push(`q ${round(w)} 0 0 ${round(h)} ${round(x)} ${this.#y(y + h)} cm /I${this.images.length} Do Q`);
  }

  async blob() {
    const [w, h] = this.size;
    const objects = [];
    const add = (head, stream) => objects.push({ head, stream });
    add("<< /Type /Catalog /Pages 2 0 R >>");
    add("<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
    const images = this.images.map((_, k) => `/I${k + 1} ${7 + k} 0 R`).join(" ");
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${w} ${h}] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R >> /XObject << ${images} >> >> >>`,
    );
    add("<< /Filter /FlateDecode", await deflate(new TextEncoder().encode(this.out.join("\n"))));
    const font = (name) => `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;
    add(font("Helvetica"));
    add(font("Helvetica-Bold"));
    for (const canvas of this.images) {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const rgb = new Uint8Array((data.length / 4) * 3);
      for (let p = 0, q = 0; p < data.length; p += 4) {
        const bare = data[p + 3] === 0; // nothing there: the paper
        for (let k = 0; k < 3; k++) rgb[q++] = bare ? 255 : data[p + k];
      }
      add(
        `<< /Type /XObject /Subtype /Image /Width ${canvas.width} /Height ${canvas.height} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /FlateDecode`,
        await deflate(rgb),
      );
    }
    return assemble(objects);
  }
}

/** Puts the objects of a PDF together, with the table of where each begins. */
function assemble(objects) {
  const parts = [];
  let at = 0;
  const write = (part) => {
    const bytes = typeof part === "string" ? new TextEncoder().encode(part) : part;
    parts.push(bytes);
    at += bytes.length;
  };
  const begins = [];
  write("%PDF-1.4\n");
  objects.forEach(({ head, stream }, k) => {
    begins.push(at);
    write(`${k + 1} 0 obj\n${head}`);
    if (stream) {
      write(` /Length ${stream.length} >>\nstream\n`);
      write(stream);
      write("\nendstream");
    }
    write("\nendobj\n");
  });
  const table = at;
  write(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`);
  for (const b of begins) write(String(b).padStart(10, "0") + " 00000 n \n");
  write(`trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`);
  return new Blob(parts, { type: "application/pdf" });
}

async function deflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** #rrggbb as three parts of one. */
function channels(colour) {
  return [1, 3, 5].map((at) => (parseInt(colour.slice(at, at + 2), 16) / 255).toFixed(3)).join(" ");
}

/** The text as a PDF has it, in the letters that its own fonts have. */
function latin(text) {
  return text
    .normalize("NFC")
    .replace(/[–—−]/g, "-")
    .replace(/…/g, "...")
    .replace(/[^\x20-\x7e\xa0-\xff]/g, "?")
    .replace(/[\xa0-\xff]/g, (c) => "\\" + c.charCodeAt(0).toString(8))
    .replace(/\\(?![0-7]{3})|[()]/g, (c) => "\\" + c);
}
