"""Barriers: who waits for whom in a plan."""

import unittest

import stowage


class Barriers(unittest.TestCase):
    def test_chain(self):
        plan = stowage.solve([0, 2, 4], [2, 4, 6], [8, 8, 8])
        self.assertEqual(stowage.barriers(plan), [(1, 2, 0, 2, 0), (2, 4, 1, 4, 0)])
        self.assertEqual(stowage.barriers(plan)[0].behind, 0)

    def test_names_and_gaps(self):
        plan = stowage.plan(stowage.Problem([0, 3], [9, 5], [4, 4], names=["long", "short"], gaps=[[(2, 7)], []]))
        self.assertEqual(plan.height, 4)
        self.assertEqual(stowage.barriers(plan), [(0, 7, 1, 5, 0), (1, 3, 0, 2, 0)])

    def test_period(self):
        plan = stowage.plan(stowage.Problem([0, 2], [2, 5], [4, 4], period=6))
        self.assertEqual(stowage.barriers(plan), [(0, 0, 1, 5, -1), (1, 2, 0, 2, 0)])

    def test_faults(self):
        self.assertEqual(stowage.barriers(stowage.solve([], [], [])), [])
        self.assertRaisesRegex(stowage.InputError, "there is no plan", stowage.barriers, stowage.solve([0, 0], [1, 1], [4, 4], capacity=7))
        self.assertRaisesRegex(stowage.InputError, "takes a Plan, not list", stowage.barriers, [0])


if __name__ == "__main__":
    unittest.main()
