package jsbundle

import (
	"strings"
	"testing"
	"testing/fstest"
)

func files(texts map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, text := range texts {
		out[name+".js"] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

// TestScript has modules in the order of their imports, each once.
func TestScript(t *testing.T) {
	got, err := Script(files(map[string]string{
		"a": "// The first.\nimport { b, c as d } from \"./b.js\";\nimport * as all from \"./c.js\";\nexport class A {\n  /** Says. */\n  say() {}\n}\n",
		"b": "import { x } from \"./c.js\";\nexport const b = x;\nexport async function c() {}\n",
		"c": "export const x = 2 * 3; // six\n",
	}), "a")
	want := `
const $c = (() => {
const x = 2 * 3; // six
return { x };
})();

const $b = (() => {
const { x } = $c;
const b = x;
async function c() {}
return { b, c };
})();

const $a = (() => {
const { b, c: d } = $b;
const all = $c;
class A {
  say() {}
}
return { A };
})();
`
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
}

// TestScriptRefuses has circles and modules that are not there refused.
func TestScriptRefuses(t *testing.T) {
	circle := files(map[string]string{"a": "import { b } from \"./b.js\";\n", "b": "import { a } from \"./a.js\";\n"})
	for name, want := range map[string]string{"a": "imports itself", "none": "none.js"} {
		if _, err := Script(circle, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
