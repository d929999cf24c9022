"""Signatures: every option is there, with its type and its default, and nowhere Any."""

import inspect
import json
import pydoc
import re
import unittest

import stowage
from stowage import _library

FILES = ("ignore_offsets", "dims", "values", "shapes", "sizes", "alignment", "heap", "ends")

class Signatures(unittest.TestCase):
    def options(self, call, but=()):
        return {n: x for n, x in inspect.signature(call).parameters.items() if x.kind == x.KEYWORD_ONLY and n not in but}

    def test_one_declaration(self):
        # The options that the library knows by name are those of the calls; what it calls set is params here.
        declared = self.options(stowage.plan, FILES)
        lib = _library.load()
        if lib is not None:
            handle = lib.stowage_new()

            def said(name: str) -> str:
                text = json.dumps({name: []}).encode()
                lib.stowage_set_options(handle, text, len(text))
                return lib.stowage_error(handle).decode()

            names = set(declared) - {"params", "start", "progress"} | {"set"}
            none, _, choices = said("nothing").partition("the choices are ")
            self.assertIn("there is no option", none)
            self.assertEqual(set(choices.split(", ")), names)
            for name in names:
                self.assertNotIn("there is no option", said(name))
            lib.stowage_free(handle)

    def test_no_any(self):
        for name in stowage.__all__:
            one = getattr(stowage, name)
            calls = [one] if inspect.isfunction(one) else [x for k, x in vars(one).items() if inspect.isfunction(x) and (k[0] != "_" or k == "__init__")] if inspect.isclass(one) else []
            for call in calls:
                if call.__module__.startswith("stowage"):
                    for parameter, annotation in call.__annotations__.items():
                        self.assertNotRegex(str(annotation), r"\bAny\b", (name, call.__name__, parameter))
                    missing = set(inspect.signature(call).parameters) - set(call.__annotations__) - {"self", "cls"}
                    self.assertEqual(missing, set(), (name, call.__name__))
            for field, annotation in getattr(one, "__annotations__", {}).items():
                self.assertNotRegex(str(annotation), r"\bAny\b", (name, field))

    def test_help(self):
        shown = pydoc.plain(pydoc.render_doc(stowage.solve))
        for name, x in self.options(stowage.solve).items():
            self.assertIn(f"{name}: {x.annotation} = ".replace("'", ""), shown.replace("'", ""), name)
        told = pydoc.plain(pydoc.render_doc(stowage.plan))
        for name in self.options(stowage.plan):
            self.assertRegex(told.partition(" -> ")[2], rf"\b{name}\b")

    def test_typos(self):
        for call, name in (
            (lambda: stowage.solve([0], [1], [2], capactiy=5), "solve"),
            (lambda: stowage.plan([(0, 1, 2)], capactiy=5), "plan"),
            (lambda: stowage.solve_many([], capactiy=5), "solve_many"),
        ):
            self.assertRaisesRegex(TypeError, rf"^{name}\(\) got an unexpected keyword argument 'capactiy'", call)


if __name__ == "__main__":
    unittest.main()
