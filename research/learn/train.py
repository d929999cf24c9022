# Trains the regression forest of tela-learned on the samples of
# `stowage learn collect`. Arguments: samples.csv model.json trees depth rate seed.
# One thread and a seed make the model the same, byte for byte, on every run.
import csv
import sys

import numpy
import xgboost

FIRST = 5  # columns before the features; the last column is the score
samples, model, trees, depth, rate, seed = sys.argv[1:7]
with open(samples, newline="") as f:
    rows = list(csv.reader(f))
x = numpy.array([[float(v) for v in r[FIRST:-1]] for r in rows[1:]], dtype=numpy.float32)
y = numpy.array([float(r[-1]) for r in rows[1:]], dtype=numpy.float32)
data = xgboost.DMatrix(x, label=y)
parameters = {
    "objective": "reg:squarederror",
    "tree_method": "exact",
    "max_depth": int(depth),
    "eta": float(rate),
    "min_child_weight": 20,
    "subsample": 0.8,
    "seed": int(seed),
    "nthread": 1,
    "base_score": 0.5,
}
forest = xgboost.train(parameters, data, num_boost_round=int(trees))
forest.save_model(model)
error = float(numpy.sqrt(numpy.mean((forest.predict(data) - y) ** 2)))
mean = float(numpy.sqrt(numpy.mean((y - y.mean()) ** 2)))
print(f"{len(y)} samples, {trees} trees, error {error:.3f} (of a constant: {mean:.3f}), xgboost {xgboost.__version__}", file=sys.stderr)
for name, gain in sorted(forest.get_score(importance_type="gain").items(), key=lambda p: -p[1]):
    print(f"  {rows[0][FIRST + int(name[1:])]:<12} gain {gain:.1f}", file=sys.stderr)
