# Trains the regression forest of tela-learned on the samples of
# `go run ./lab/learn/cmd collect`. Arguments: samples.csv model.json trees depth rate seed label blind.
# The label is 10 for a target that can be completed and 0 for others ("stands"), or the
# score column ("paper"). Where blind is "true", the features of the look-ahead are 0.
# A fifth of the problems is held out, with all their capacities; training ends where
# another tree no longer helps on them. One thread and a seed make the model the same,
# byte for byte, on every run.
import csv
import sys
import zlib

import numpy
import xgboost

FIRST = 5  # columns before the features; the last column is the score
PATIENCE = 20  # trees
samples, model, trees, depth, rate, seed, label, blind = sys.argv[1:9]
with open(samples, newline="") as f:
    rows = csv.reader(f)
    header = next(rows)
    names, events, marks, values = [], [], [], []  # marks are point, best and minimum
    for row in rows:
        names.append(row[0].rsplit("@", 1)[0])
        events.append(row[0] + " " + row[1])
        marks.append([int(v) for v in row[2:FIRST]])
        values.append(numpy.array(row[FIRST:], dtype=numpy.float32))
marks, values = numpy.array(marks), numpy.array(values)
x, y = values[:, :-1], values[:, -1]
if blind == "true":
    x[:, [header.index("beyond") - FIRST, header.index("effort") - FIRST]] = 0
if label == "stands":
    y = numpy.where(marks[:, 0] <= marks[:, 2], 10, 0).astype(numpy.float32)
held = numpy.array([zlib.crc32(f"{seed} {name}".encode()) % 5 == 0 for name in names])
if held.all() or not held.any():
    held = numpy.arange(len(y)) % 5 == 0  # too few problems to hold one out
parameters = {
    "objective": "reg:squarederror",
    "tree_method": "hist",
    "max_depth": int(depth),
    "eta": float(rate),
    "min_child_weight": 20,
    "subsample": 0.8,
    "seed": int(seed),
    "nthread": 1,
    "base_score": 0.5,
}
learned, tested = xgboost.DMatrix(x[~held], label=y[~held]), xgboost.DMatrix(x[held], label=y[held])
forest = xgboost.train(
    parameters, learned, num_boost_round=int(trees), evals=[(tested, "tested")],
    early_stopping_rounds=PATIENCE, verbose_eval=False,
)
forest = forest[: forest.best_iteration + 1]
forest.save_model(model)


def error(guess, part):
    return float(numpy.sqrt(numpy.mean((guess - y[part]) ** 2)))


constant = float(y[~held].mean())
print(
    f"{len(y)} samples of {len(set(names))} problems, {forest.num_boosted_rounds()} trees; "
    f"error {error(forest.predict(learned), ~held):.3f}, on the {int(held.sum())} held out "
    f"{error(forest.predict(tested), held):.3f} (of a constant: {error(constant, held):.3f}), xgboost {xgboost.__version__}",
    file=sys.stderr,
)


def ranks(scores, ones):
    """Return the area under the curve: how often one of ones scores above one of the others."""
    order = numpy.empty(len(scores))
    order[numpy.argsort(scores)] = numpy.arange(len(scores))
    count = int(ones.sum())
    return float((order[ones].mean() - (count - 1) / 2) / max(len(scores) - count, 1))


stands = marks[:, 0] <= marks[:, 2]
failed, rules = (x[:, header.index("distance") - FIRST] == 0), (x[:, header.index("rules") - FIRST] == 1)
scores = numpy.full(len(y), numpy.nan, dtype=numpy.float32)
scores[held] = forest.predict(tested)
for what, part in (("targets", held), ("failed points", held & failed), ("targets of the rules", held & rules)):
    if stands[part].any() and not stands[part].all():
        print(
            f"held out, {what}: {stands[part].mean():.0%} can be completed, "
            f"area under the curve {ranks(scores[part], stands[part]):.2f}",
            file=sys.stderr,
        )
# What the deepest target over 5 is to the deepest one that can be completed.
if label == "stands":
    deepest = {}
    for k in numpy.flatnonzero(held):
        pair = deepest.setdefault(events[k], [-1, -1])
        if scores[k] >= 5:
            pair[0] = max(pair[0], marks[k, 0])
        if stands[k]:
            pair[1] = max(pair[1], marks[k, 0])
    pairs = numpy.array(list(deepest.values()))
    said, right = pairs[:, 0], pairs[:, 1]
    print(
        f"held out, {len(pairs)} backtracks: the deepest target over 5 is the deepest that can be completed in "
        f"{(said == right).mean():.0%}, deeper in {(said > right).mean():.0%}",
        file=sys.stderr,
    )
# The rise of the error where a feature is shuffled, as in figure 17 of the paper.
rng = numpy.random.default_rng(int(seed))
base = error(forest.predict(tested), held)
rises = []
for k in range(x.shape[1]):
    mixed = x[held].copy()
    rng.shuffle(mixed[:, k])
    rises.append((error(forest.predict(xgboost.DMatrix(mixed)), held) - base, header[FIRST + k]))
for rise, name in sorted(rises, reverse=True):
    print(f"  {name:<12} {rise:+.4f}", file=sys.stderr)
