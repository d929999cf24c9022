"""An arena around the steps of trainers: Hugging Face's Trainer, Lightning, Accelerate, Ignite.

    a = stowage.torch.arena()
    transformers.Trainer(..., callbacks=[stowage.torch.trainers.transformers(a)])
    lightning.Trainer(..., callbacks=[stowage.torch.trainers.lightning(a)])
    accumulate = stowage.torch.trainers.accelerate(a, accelerator)     # instead of accelerator.accumulate
    stowage.torch.trainers.ignite(a, engine)                           # a trainer, an evaluator

Each looks at the arena only: what a trainer does is not changed. A step is what the trainer calls one: a step of the optimizer
with all its micro-batches in Trainer, a batch elsewhere. Steps of an evaluation are steps of the arena too. A trainer that is
interrupted, so that the end of a step never comes, ends it where the next one begins.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from importlib import import_module
from typing import Any, Callable, Optional

from .._arena.arena import Arena


class _Open:
    """One open step of an arena at a time."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena
        self.step: Optional[contextlib.ExitStack] = None

    def begin(self, *_: Any) -> None:
        self.end()
        self.step = contextlib.ExitStack()
        self.step.enter_context(self.arena)

    def end(self, *_: Any) -> None:
        step, self.step = self.step, None
        if step is not None:
            step.close()


def transformers(arena: Arena) -> Any:
    """Returns a callback for Hugging Face's Trainer: a step of the optimizer, and a batch of an evaluation, is a step of the arena."""
    step = _Open(arena)

    class Callback(import_module("transformers").TrainerCallback):  # type: ignore[misc]
        def on_step_begin(self, *_: Any, **__: Any) -> None:
            step.begin()

        def on_step_end(self, *_: Any, **__: Any) -> None:
            step.end()

        def on_prediction_step(self, *_: Any, **__: Any) -> None:
            step.begin()  # it comes behind each batch, so a step is from one to the next

        def on_evaluate(self, *_: Any, **__: Any) -> None:
            step.end()

        def on_predict(self, *_: Any, **__: Any) -> None:
            step.end()

        def on_train_end(self, *_: Any, **__: Any) -> None:
            step.end()

    return Callback()


def lightning(arena: Arena) -> Any:
    """Returns a callback for Lightning's Trainer: a batch is a step, of training, validation, test or prediction."""
    step = _Open(arena)
    try:
        base = import_module("lightning.pytorch").Callback
    except ImportError:
        base = import_module("pytorch_lightning").Callback

    def begin(*_: Any, **__: Any) -> None:
        step.begin()

    def end(*_: Any, **__: Any) -> None:
        step.end()

    names: dict[str, Callable[..., None]] = {"on_exception": end, "teardown": end}
    for kind in ("train", "validation", "test", "predict"):
        names |= {f"on_{kind}_batch_start": begin, f"on_{kind}_batch_end": end}
    return type("Callback", (base,), names)()


def accelerate(arena: Arena, accelerator: Any) -> Callable[..., Any]:
    """Returns what stands for accelerator.accumulate: the same context, which is a step of the arena too."""

    @contextlib.contextmanager
    def accumulate(*models: Any) -> Iterator[None]:
        with arena, accelerator.accumulate(*models):
            yield

    return accumulate


def ignite(arena: Arena, engine: Any) -> None:
    """Makes each iteration of an engine of Ignite a step."""
    step, events = _Open(arena), import_module("ignite.engine").Events
    engine.add_event_handler(events.ITERATION_STARTED, step.begin)
    # First of its handlers: those of the program come behind, and may run an evaluator.
    engine.add_event_handler(events.ITERATION_COMPLETED, step.end)
    engine.add_event_handler(events.COMPLETED, step.end)
    engine.add_event_handler(events.EXCEPTION_RAISED, _again(step))


def _again(step: _Open) -> Callable[[Any, Any], None]:
    """Ends a step, and raises what the engine has caught, as it does by itself if nobody handles it."""

    def raised(_: Any, error: BaseException) -> None:
        step.end()
        raise error

    return raised
