"""The order of a plan as operations of a compiler: offsets from sizes that are known at run time, by max and add.

    stowage solve -o plan.json FILE
    python3 lab/bench/xdsl/forms.py iree plan.json
    python3 lab/bench/xdsl/forms.py tvm plan.json

iree is a function of MLIR in the form to which IREE lowers stream.resource.pack: index arithmetic on the size of each slice.
It returns what pack returns, the size of the arena and the offset of each slice. tvm is a function in Python that builds the
same as expressions of TIR, for the offsets of R.memory.alloc_tensor: T is tvm.tirx, in older versions tvm.tir, sizes are expressions.

Idea: in the order, each buffer begins at the highest end of those below it, rounded up to its alignment.
Complexity: operations in proportion to buffers and pairs, of which there are 1 to 2 a buffer.
"""

import functools
import json
import sys

import stowage


class Iree:
    """Values are names, operations are lines of MLIR."""

    def __init__(self):
        self.lines = []

    def put(self, operation, operands):
        self.lines.append(f"  %{len(self.lines)} = arith.{operation} {operands} : index")
        return f"%{len(self.lines) - 1}"

    def constant(self, n):
        return self.put("constant", n)

    def size(self, i):
        return f"%size{i}"

    def add(self, a, b):
        return self.put("addi", f"{a}, {b}")

    def most(self, a, b):
        return self.put("maxsi", f"{a}, {b}")

    def up(self, a, n):
        unit = self.constant(n)
        units = self.put("floordivsi", f"{self.add(a, self.constant(n - 1))}, {unit}")
        return self.put("muli", f"{units}, {unit}")

    def text(self, height, starts):
        sizes = ", ".join(f"%size{i}: index" for i in range(len(starts)))
        kinds = ", ".join(["index"] * (1 + len(starts)))
        body = "\n".join([*self.lines, f"  func.return {', '.join([height, *starts])} : {kinds}"])
        return f"func.func @offsets({sizes}) -> ({kinds}) {{\n{body}\n}}\n"


class Tvm:
    """Values are names, operations are lines of Python on expressions of TIR."""

    def __init__(self):
        self.lines = []

    def put(self, expression):
        self.lines.append(f"    v{len(self.lines)} = {expression}")
        return f"v{len(self.lines) - 1}"

    def constant(self, n):
        return self.put(f'T.IntImm("int64", {n})')

    def size(self, i):
        return f"sizes[{i}]"

    def add(self, a, b):
        return self.put(f"{a} + {b}")

    def most(self, a, b):
        return self.put(f"T.max({a}, {b})")

    def up(self, a, n):
        return self.put(f"T.floordiv({a} + {n - 1}, {n}) * {n}")

    def text(self, height, starts):
        body = "\n".join([*self.lines, f"    return {height}, [{', '.join(starts)}]"])
        return f"def offsets(T, sizes):\n{body}\n"


def emitted(form, plan):
    """Returns the text of a plan, which is a document as json.load returns it."""
    if "pools" in plan or any(b.get("fixed", b.get("offset")) is not None for b in plan["buffers"]):
        raise stowage.InputError("a plan with pools or fixed offsets has no such form here")
    starts, ends = [""] * len(plan["buffers"]), [""] * len(plan["buffers"])
    zero = form.constant(0)
    for i, below in stowage.Order(plan).steps():
        starts[i] = zero
        if below:
            starts[i] = functools.reduce(form.most, (ends[j] for j in below))
            if (alignment := plan["buffers"][i].get("alignment", 1)) > 1:
                starts[i] = form.up(starts[i], alignment)
        ends[i] = form.add(starts[i], form.size(i))
    return form.text(functools.reduce(form.most, ends), starts)


FORMS = {"iree": Iree, "tvm": Tvm}

if __name__ == "__main__":
    with open(sys.argv[2], encoding="utf-8") as file:
        print(emitted(FORMS[sys.argv[1]](), json.load(file)), end="")
