"""Programs from packages, as their users write them: models are built from their configuration with random weights, and nothing is
downloaded. Each takes an arena, or what does nothing in its place, and a function to call before the first step, where the
steady state begins, and after each step, and returns what it has computed. Each runs in a process of its own: see rss.py."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

Mark = Callable[[str], None]
WARM, STEPS = 12, 20  # an arena records ten steps


def steps(step: Callable[[int], float], arena: Any, mark: Mark, count: int = STEPS, warm: int = WARM) -> list[float]:
    """The loop that most programs have."""
    out = []
    mark("before")
    for i in range(count):
        if i == warm:
            mark("steady")
        with arena:
            out.append(step(i))
        mark("step")
    return out


def train(model: nn.Module, loss: Callable[[int], torch.Tensor], micro: int = 1) -> Callable[[int], float]:
    """A step of AdamW."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)

    def step(i: int) -> float:
        optimizer.zero_grad()
        total = 0.0
        for k in range(micro):
            x = loss(i * micro + k) / micro
            x.backward()
            total += x.item()
        optimizer.step()
        return total

    return step


def words(batch: int, length: int, vocabulary: int = 2000) -> list[torch.Tensor]:
    return [torch.randint(0, vocabulary, (batch, length)) for _ in range(4)]


def pictures(model: nn.Module, batch: int, side: int) -> Callable[[int], float]:
    data = [(torch.randn(batch, 3, side, side), torch.randint(0, 10, (batch,))) for _ in range(4)]
    return train(model, lambda i: F.cross_entropy(model(data[i % 4][0]), data[i % 4][1]))


def readme(odd: bool) -> Callable[[int], float]:
    model = nn.Sequential(*[nn.Conv2d(3 if i == 0 else 32, 32, 3, padding=1) for i in range(8)])
    optimizer = torch.optim.AdamW(model.parameters())

    def step(i: int) -> float:
        optimizer.zero_grad()
        loss = model(torch.randn(5 if odd and i % 5 == 4 else 8, 3, 64, 64)).relu().mean()
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def loop(arena: Any, mark: Mark) -> list[float]:
    """The program of the README."""
    return steps(readme(False), arena, mark, 24)


def loop_odd(arena: Any, mark: Mark) -> list[float]:
    """The program of the README, with every fifth step smaller."""
    return steps(readme(True), arena, mark, 40, 20)


def resnet(arena: Any, mark: Mark) -> list[float]:
    import torchvision

    return steps(pictures(torchvision.models.resnet18(num_classes=10), 8, 112), arena, mark)


def fasterrcnn(arena: Any, mark: Mark) -> list[float]:
    """Detection: the number of boxes varies from picture to picture."""
    import torchvision

    model = torchvision.models.detection.fasterrcnn_mobilenet_v3_large_320_fpn(
        weights=None, weights_backbone=None, num_classes=5, min_size=192, max_size=256, box_batch_size_per_image=128
    )
    g = torch.Generator().manual_seed(1)

    def loss(i: int) -> torch.Tensor:
        images, targets = [], []
        for _ in range(2):
            images.append(torch.rand(3, 192, 256, generator=g))
            n = int(torch.randint(1, 9, (1,), generator=g))
            corner = torch.rand(n, 2, generator=g) * 100
            boxes = torch.cat([corner, corner + 20 + torch.rand(n, 2, generator=g) * 60], 1)
            targets.append({"boxes": boxes, "labels": torch.randint(1, 5, (n,), generator=g)})
        return sum(model(images, targets).values())  # type: ignore[return-value]

    return steps(train(model, loss), arena, mark)


def vit(arena: Any, mark: Mark) -> list[float]:
    import timm

    return steps(pictures(timm.create_model("vit_tiny_patch16_224", num_classes=10), 4, 224), arena, mark)


def convnext(arena: Any, mark: Mark) -> list[float]:
    import timm

    return steps(pictures(timm.create_model("convnext_atto", num_classes=10), 12, 128), arena, mark)


def _gpt2(dropout: float = 0.1) -> Any:
    from transformers import GPT2Config, GPT2LMHeadModel

    return GPT2LMHeadModel(GPT2Config(
        n_layer=4, n_embd=256, n_head=4, vocab_size=8000, n_positions=256, resid_pdrop=dropout, embd_pdrop=dropout, attn_pdrop=dropout
    ))  # fmt: skip


def _language(model: Any, batch: int, length: int, micro: int = 1) -> Callable[[int], float]:
    data = words(batch, length)
    return train(model, lambda i: model(input_ids=data[i % 4], labels=data[i % 4]).loss, micro)


def gpt2(arena: Any, mark: Mark) -> list[float]:
    return steps(_language(_gpt2(), 4, 128), arena, mark)


def gpt2_checkpoint(arena: Any, mark: Mark) -> list[float]:
    model = _gpt2().train()
    model.gradient_checkpointing_enable()
    return steps(_language(model, 4, 128), arena, mark)


def gpt2_amp(arena: Any, mark: Mark) -> list[float]:
    model, data = _gpt2(), words(4, 128)

    def loss(i: int) -> torch.Tensor:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return model(input_ids=data[i % 4], labels=data[i % 4]).loss

    return steps(train(model, loss), arena, mark)


def gpt2_compile(arena: Any, mark: Mark) -> list[float]:
    """torch.compile, by Inductor and a C++ compiler. It compiles before the first step."""
    model, data = _gpt2(0.0), words(4, 128)
    fast = torch.compile(model)
    step = train(model, lambda i: fast(input_ids=data[i % 4], labels=data[i % 4]).loss)
    step(0)
    return steps(step, arena, mark)


def _bert() -> Any:
    from transformers import BertConfig, BertForMaskedLM

    return BertForMaskedLM(BertConfig(
        num_hidden_layers=4, hidden_size=256, num_attention_heads=4, intermediate_size=1024, vocab_size=4000, max_position_embeddings=256
    ))  # fmt: skip


def bert(arena: Any, mark: Mark) -> list[float]:
    return steps(_language(_bert(), 8, 128), arena, mark)


def _lengths(step: Callable[[int], float], arena: Any, mark: Mark) -> list[float]:
    """The loop of programs whose steps have lengths at random."""
    return steps(step, arena, mark, 60, 30)


def _varied(model: Any, batch: int, vocabulary: int, seed: int = 3) -> Callable[[int], float]:
    """Batches of 16 to 128 tokens, as of sentences that are padded to the longest of each batch."""
    g = torch.Generator().manual_seed(seed)
    lengths = torch.randint(16, 129, (200,), generator=g).tolist()

    def loss(i: int) -> torch.Tensor:
        x = torch.randint(0, vocabulary, (batch, lengths[i]), generator=g)
        return model(input_ids=x, attention_mask=torch.ones_like(x), labels=x).loss

    return train(model, loss)


def bert_varied(arena: Any, mark: Mark) -> list[float]:
    return _lengths(_varied(_bert(), 8, 4000), arena, mark)


def gpt2_varied(arena: Any, mark: Mark) -> list[float]:
    return _lengths(_varied(_gpt2(), 4, 8000), arena, mark)


def gpt2_checkpoint_varied(arena: Any, mark: Mark) -> list[float]:
    model = _gpt2().train()
    model.gradient_checkpointing_enable()
    return _lengths(_varied(model, 4, 8000), arena, mark)


def t5_varied(arena: Any, mark: Mark) -> list[float]:
    return _lengths(_varied(_t5(), 6, 4000), arena, mark)


def vit_varied(arena: Any, mark: Mark) -> list[float]:
    """One to eight pictures in a step."""
    import timm

    model, g = timm.create_model("vit_tiny_patch16_224", num_classes=10), torch.Generator().manual_seed(3)
    counts = torch.randint(1, 9, (60,), generator=g).tolist()

    def loss(i: int) -> torch.Tensor:
        return F.cross_entropy(model(torch.randn(counts[i], 3, 224, 224, generator=g)), torch.randint(0, 10, (counts[i],), generator=g))

    return _lengths(train(model, loss), arena, mark)


def _t5() -> Any:
    from transformers import T5Config, T5ForConditionalGeneration

    return T5ForConditionalGeneration(T5Config(d_model=256, d_kv=64, d_ff=1024, num_layers=3, num_heads=4, vocab_size=4000, decoder_start_token_id=0))


def t5(arena: Any, mark: Mark) -> list[float]:
    return steps(_language(_t5(), 6, 96), arena, mark)


def llama(arena: Any, mark: Mark) -> list[float]:
    """bfloat16, with four micro-batches in a step."""
    from transformers import LlamaConfig, LlamaForCausalLM

    model = LlamaForCausalLM(LlamaConfig(
        hidden_size=256, intermediate_size=768, num_hidden_layers=4, num_attention_heads=4, num_key_value_heads=2, vocab_size=4000
    )).to(torch.bfloat16)  # fmt: skip
    return steps(_language(model, 2, 128, 4), arena, mark)


def whisper(arena: Any, mark: Mark) -> list[float]:
    from transformers import WhisperConfig, WhisperForConditionalGeneration

    model = WhisperForConditionalGeneration(WhisperConfig(
        d_model=192, encoder_layers=3, decoder_layers=3, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=768,
        decoder_ffn_dim=768, vocab_size=4000, max_source_positions=500, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1,
    ))  # fmt: skip
    sound, text = torch.randn(2, 80, 1000), words(2, 64)
    return steps(train(model, lambda i: model(input_features=sound, labels=text[i % 4]).loss), arena, mark)


def unet(arena: Any, mark: Mark) -> list[float]:
    from diffusers import DDPMScheduler, UNet2DModel

    model = UNet2DModel(sample_size=48, block_out_channels=(32, 64, 96), down_block_types=("DownBlock2D", "AttnDownBlock2D", "DownBlock2D"),
                        up_block_types=("UpBlock2D", "AttnUpBlock2D", "UpBlock2D"), layers_per_block=1)  # fmt: skip
    scheduler, data = DDPMScheduler(), [torch.randn(6, 3, 48, 48) for _ in range(4)]

    def loss(i: int) -> torch.Tensor:
        noise, t = torch.randn_like(data[0]), torch.randint(0, 1000, (6,))
        return F.mse_loss(model(scheduler.add_noise(data[i % 4], noise, t), t).sample, noise)

    return steps(train(model, loss), arena, mark)


def graphs(arena: Any, mark: Mark) -> list[float]:
    """Mini-batches of graphs, each with another number of nodes and edges."""
    from torch_geometric.data import Data
    from torch_geometric.loader import DataLoader
    from torch_geometric.nn import GINConv, global_mean_pool

    g = torch.Generator().manual_seed(5)
    data = []
    for _ in range(1600):
        n = int(torch.randint(20, 200, (1,), generator=g))
        data.append(Data(x=torch.randn(n, 32, generator=g), edge_index=torch.randint(0, n, (2, 6 * n), generator=g), y=torch.randint(0, 4, (1,), generator=g)))

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.convs = nn.ModuleList(GINConv(nn.Sequential(nn.Linear(32 if i == 0 else 128, 128), nn.ReLU(), nn.Linear(128, 128))) for i in range(4))
            self.head = nn.Linear(128, 4)

        def forward(self, x: Any, edges: Any, batch: Any) -> Any:
            for conv in self.convs:
                x = conv(x, edges).relu()
            return self.head(global_mean_pool(x, batch))

    model = Net()
    batches = iter(DataLoader(data, batch_size=16))

    def loss(i: int) -> torch.Tensor:
        b = next(batches)
        return F.cross_entropy(model(b.x, b.edge_index, b.batch), b.y)

    return steps(train(model, loss), arena, mark, 100, 40)


class Words(nn.Module):
    """The classifier of odd_batch: an embedding and two layers of a transformer."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(2000, 128)
        self.layers = nn.TransformerEncoder(nn.TransformerEncoderLayer(128, 4, 256, batch_first=True, dropout=0.0), 2)
        self.head = nn.Linear(128, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.layers(self.words(x)).mean(1))


def _texts(count: int = 1000) -> Any:
    from torch.utils.data import TensorDataset

    return TensorDataset(torch.randint(0, 2000, (count, 32)), torch.randint(0, 4, (count,)))


def epochs(arena: Any, mark: Mark, workers: int = 0) -> list[float]:
    """Epochs whose last batch is smaller, and an evaluation every ten steps."""
    from torch.utils.data import DataLoader

    model, data = Words(), _texts()
    optimizer, out = torch.optim.AdamW(model.parameters()), []
    test = data[:200]
    mark("before")
    for epoch in range(6):
        if epoch == 3:
            mark("steady")
        for i, (x, y) in enumerate(DataLoader(data, batch_size=64, num_workers=workers)):
            with arena:
                optimizer.zero_grad()
                loss = F.cross_entropy(model(x), y)
                loss.backward()
                optimizer.step()
                out.append(loss.item())
                del loss
            mark("step")
            if i % 10 == 9:
                with arena, torch.no_grad():
                    model.eval()
                    out.append(F.cross_entropy(model(test[0]), test[1]).item())
                    model.train()
    return out


def workers(arena: Any, mark: Mark) -> list[float]:
    """The same with two processes that load the data."""
    return epochs(arena, mark, 2)


def generate(arena: Any, mark: Mark, varied: bool = False) -> list[float]:
    """24 words after a prompt of 32: a step is a call."""
    model, g = _gpt2().eval(), torch.Generator().manual_seed(1)

    def step(i: int) -> float:
        n = 16 + 2 * i if varied else 32
        x = torch.randint(0, 8000, (8, n), generator=g)
        with torch.no_grad():
            y = model.generate(x, attention_mask=torch.ones_like(x), max_new_tokens=24, do_sample=False, pad_token_id=0)
        return float(y.sum())

    return steps(step, arena, mark, 32 if varied else STEPS)


def generate_growing(arena: Any, mark: Mark) -> list[float]:
    """The same after prompts that grow from call to call, as of a conversation."""
    return generate(arena, mark, True)


def lightning(arena: Any, mark: Mark) -> list[float]:
    """Lightning's Trainer, with four micro-batches a step, and a validation for each epoch."""
    import lightning as L
    from torch.utils.data import DataLoader

    out: list[float] = []

    class Module(L.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.model = Words()

        def training_step(self, batch: Any, _: int) -> Any:
            loss = F.cross_entropy(self.model(batch[0]), batch[1])
            out.append(loss.item())
            return loss

        def validation_step(self, batch: Any, _: int) -> None:
            out.append(F.cross_entropy(self.model(batch[0]), batch[1]).item())

        def configure_optimizers(self) -> Any:
            return torch.optim.AdamW(self.parameters(), 1e-3)

    class Marks(L.Callback):
        def on_train_epoch_start(self, trainer: Any, _: Any) -> None:
            if trainer.current_epoch in (0, 2):
                mark("steady" if trainer.current_epoch else "before")

        def on_train_batch_end(self, trainer: Any, _: Any, __: Any, ___: Any, i: int) -> None:
            if i % 4 == 3:
                mark("step")

    callbacks: list[Any] = [Marks()]
    if not isinstance(arena, contextlib.nullcontext):
        import stowage.torch.trainers

        callbacks.append(stowage.torch.trainers.lightning(arena))
    with tempfile.TemporaryDirectory() as folder:
        L.Trainer(
            max_epochs=5, accumulate_grad_batches=4, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
            enable_model_summary=False, callbacks=callbacks, default_root_dir=folder,
        ).fit(Module(), DataLoader(_texts(), batch_size=64), DataLoader(_texts(200), batch_size=64))  # fmt: skip
    return out


def trainer(arena: Any, mark: Mark) -> list[float]:
    """Hugging Face's Trainer: two micro-batches a step, an evaluation every ten steps."""
    from transformers import Trainer, TrainerCallback, TrainingArguments

    class Texts(torch.utils.data.Dataset):
        def __init__(self, count: int) -> None:
            self.x = torch.randint(0, 4000, (count, 64))

        def __len__(self) -> int:
            return len(self.x)

        def __getitem__(self, i: int) -> Any:
            return {"input_ids": self.x[i], "labels": self.x[i]}

    class Marks(TrainerCallback):
        def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            if state.global_step == 0:
                mark("before")
            if state.global_step == 15:
                mark("steady")

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            mark("step")

    callbacks: list[Any] = [Marks()]
    if not isinstance(arena, contextlib.nullcontext):
        import stowage.torch.trainers

        callbacks.append(stowage.torch.trainers.transformers(arena))
    with tempfile.TemporaryDirectory() as folder:
        t = Trainer(
            model=_bert(), train_dataset=Texts(240), eval_dataset=Texts(20), callbacks=callbacks,
            args=TrainingArguments(
                folder, per_device_train_batch_size=4, per_device_eval_batch_size=4, gradient_accumulation_steps=2, max_steps=30, eval_strategy="steps",
                eval_steps=10, logging_steps=1, report_to=[], save_strategy="no", disable_tqdm=True, use_cpu=True,
            ),
        )  # fmt: skip
        stdout, sys.stdout = sys.stdout, open(os.devnull, "w")  # it prints its log
        t.train()
        sys.stdout = stdout
    return [row[k] for row in t.state.log_history for k in ("loss", "eval_loss", "train_loss") if k in row]


def accelerate(arena: Any, mark: Mark) -> list[float]:
    """Accelerate with four micro-batches a step."""
    from accelerate import Accelerator
    from torch.utils.data import DataLoader

    if not isinstance(arena, contextlib.nullcontext):
        import stowage.torch.trainers

        accelerator = Accelerator(cpu=True, gradient_accumulation_steps=4)
        accumulate = stowage.torch.trainers.accelerate(arena, accelerator)
    else:
        accelerator = Accelerator(cpu=True, gradient_accumulation_steps=4)
        accumulate = accelerator.accumulate
    model = Words()
    model, optimizer, data = accelerator.prepare(model, torch.optim.AdamW(model.parameters()), DataLoader(_texts(), batch_size=64))
    out = []
    mark("before")
    for epoch in range(6):
        if epoch == 3:
            mark("steady")
        for x, y in data:
            with accumulate(model):
                loss = F.cross_entropy(model(x), y)
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
                out.append(loss.item())
            if accelerator.sync_gradients:
                mark("step")
    return out


def ignite(arena: Any, mark: Mark) -> list[float]:
    """Ignite's supervised trainer with an evaluator."""
    from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
    from torch.utils.data import DataLoader

    model, out = Words(), []
    loader = DataLoader(_texts(), batch_size=64)
    engine = create_supervised_trainer(model, torch.optim.AdamW(model.parameters()), F.cross_entropy)
    evaluator = create_supervised_evaluator(model)
    if not isinstance(arena, contextlib.nullcontext):
        import stowage.torch.trainers

        stowage.torch.trainers.ignite(arena, engine)
        stowage.torch.trainers.ignite(arena, evaluator)
    engine.add_event_handler(Events.ITERATION_COMPLETED, lambda e: out.append(e.state.output))
    engine.add_event_handler(Events.ITERATION_COMPLETED, lambda _: mark("step"))
    engine.add_event_handler(Events.EPOCH_COMPLETED, lambda _: evaluator.run(DataLoader(_texts(128), batch_size=64)))
    engine.add_event_handler(Events.EPOCH_STARTED(once=3), lambda _: mark("steady"))
    mark("before")
    engine.run(loader, max_epochs=5)
    return out


PROGRAMS: dict[str, Callable[[Any, Mark], list[float]]] = {
    f.__name__.replace("_", "-"): f
    for f in (
        loop, resnet, vit, convnext, gpt2, gpt2_checkpoint, gpt2_amp, gpt2_compile, bert, t5, llama, whisper, unet, generate, lightning, trainer,
        accelerate, ignite, workers, generate_growing, fasterrcnn, bert_varied, gpt2_varied, gpt2_checkpoint_varied, t5_varied, vit_varied, graphs,
        epochs, loop_odd,
    )
}  # fmt: skip
VARIED = (
    "generate-growing", "fasterrcnn", "bert-varied", "gpt2-varied", "gpt2-checkpoint-varied", "t5-varied", "vit-varied", "graphs", "epochs", "workers",
    "loop-odd",
)  # fmt: skip
LENGTHS = ("gpt2-varied", "gpt2-checkpoint-varied", "t5-varied", "vit-varied")  # of varied.py alone
