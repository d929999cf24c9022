"""An arena around the steps of trainers: Hugging Face's Trainer, Lightning, Accelerate, Ignite.

    a = stowage.torch.arena()
    transformers.Trainer(..., callbacks=[stowage.torch.trainers.transformers(a)])
    lightning.Trainer(..., callbacks=[stowage.torch.trainers.lightning(a)])
    accumulate = stowage.torch.trainers.accelerate(a, accelerator)     # instead of accelerator.accumulate
    stowage.torch.trainers.ignite(a, engine)                           # a trainer, an evaluator

Each looks at the arena only: what a trainer does is not changed. A step is a step of the optimizer with all its micro-batches: those
begin alike and leave other tensors behind, and only together they are the same each time. A batch of an evaluation is a step too. A
trainer that is interrupted, so that the end of a step never comes, ends it where the next one begins.
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

    def begin(self, *_: Any, **__: Any) -> None:
        self.end()
        self.step = contextlib.ExitStack()
        self.step.enter_context(self.arena)

    def resume(self) -> None:
        """Goes on with the step that is open, or begins one."""
        if self.step is None:
            self.begin()

    def end(self, *_: Any, **__: Any) -> None:
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
    """Returns a callback for Lightning's Trainer: a step of the optimizer, and a batch of a validation, test or prediction, is a step."""
    step = _Open(arena)
    try:
        base = import_module("lightning.pytorch").Callback
    except ImportError:
        base = import_module("pytorch_lightning").Callback

    class Callback(base):  # type: ignore[misc, valid-type]
        done = 0  # steps of the optimizers

        def on_train_batch_start(self, *_: Any, **__: Any) -> None:
            step.resume()

        def on_train_batch_end(self, trainer: Any, *_: Any, **__: Any) -> None:
            if trainer.global_step != self.done:
                self.done = trainer.global_step
                step.end()

    for kind in ("validation", "test", "predict"):
        setattr(Callback, f"on_{kind}_batch_start", lambda *_, **__: step.begin())
        setattr(Callback, f"on_{kind}_batch_end", lambda *_, **__: step.end())
    for last in ("on_train_epoch_end", "on_exception", "teardown"):
        setattr(Callback, last, lambda *_, **__: step.end())
    return Callback()


def accelerate(arena: Arena, accelerator: Any) -> Callable[..., Any]:
    """Returns what stands for accelerator.accumulate: the same context. A step lasts from the first micro-batch to the end of the one at
    which the optimizer steps."""
    step = _Open(arena)

    @contextlib.contextmanager
    def accumulate(*models: Any) -> Iterator[None]:
        step.resume()
        try:
            with accelerator.accumulate(*models):
                yield
        except BaseException:
            step.end()
            raise
        if accelerator.sync_gradients:
            step.end()

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
