"""Graphs of operators, over the command."""

import copy
import json
import unittest

import stowage

GRAPH = {
    "alignment": 16,
    "values": [
        {"name": "image", "size": 4096},
        {"name": "features", "size": 3072},
        {"name": "active", "size": 3072},
        {"name": "weights", "size": 432, "constant": True},
    ],
    "operators": [
        {
            "name": "conv", "operands": ["image", "weights"], "results": ["features"],
            "permits": [{"result": "features", "operand": "image", "distance": 112}],
        },
        {
            "name": "relu", "operands": ["features"], "results": ["active"], "scratch": 64,
            "permits": [{"result": "active", "operand": "features"}],
        },
    ],
    "inputs": ["image"],
    "outputs": ["active"],
}  # fmt: skip


class Graphs(unittest.TestCase):
    def test_plan(self):
        for graph in (GRAPH, json.dumps(GRAPH)):
            p = stowage.plan_graph(graph)
            self.assertEqual((p["status"], p["height"], p["lower_bound"]), ("optimal", 4208, 4208))
            self.assertEqual(p["order"], ["conv", "relu"])
            self.assertEqual(p["offsets"]["image"] - p["offsets"]["features"], 112)
            self.assertNotIn("weights", p["offsets"])
            self.assertEqual(p["saved"], {"in_place": 0, "distance": 2960, "order": 0})
            self.assertEqual([o["result"] for o in p["overlaps"]], ["features", "active"])

    def test_options(self):
        self.assertEqual(stowage.plan_graph(GRAPH, permits="none", timeout=5, planner="exact")["height"], 7168)
        self.assertEqual(stowage.plan_graph(GRAPH, permits="in-place", capacity="7168")["height"], 7168)
        p = stowage.plan_graph(GRAPH, capacity=4207)
        self.assertEqual(p["status"], "infeasible")
        self.assertNotIn("offsets", p)
        crossed = copy.deepcopy(GRAPH)
        crossed["operators"].reverse()
        self.assertEqual(stowage.plan_graph(crossed, reorder=True)["order"], ["conv", "relu"])
        with self.assertRaisesRegex(stowage.InputError, "which runs later"):
            stowage.plan_graph(crossed)

    def test_faults(self):
        wrong = copy.deepcopy(GRAPH)
        wrong["operators"][0]["operands"] = ["picture"]
        with self.assertRaisesRegex(stowage.InputError, 'operators.operands "picture": is no value of the graph'):
            stowage.plan_graph(wrong)
        with self.assertRaisesRegex(stowage.InputError, "permits is 'some'"):
            stowage.plan_graph(GRAPH, permits="some")
        with self.assertRaisesRegex(stowage.InputError, "cannot be written as JSON"):
            stowage.plan_graph({"values": {1, 2}})


if __name__ == "__main__":
    unittest.main()
