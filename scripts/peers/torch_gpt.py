#!/usr/bin/env python3
"""Times training steps of the GPT of `minnow bench train` in PyTorch: the same sizes, layers and optimizer.

usage: torch_gpt.py --batch B --length T --layers L --heads H --width C --vocabulary V --steps N
                    [--mode eager|compile] [--precision f32|bf16] [--threads N]

Prints one line of JSON with the fields of `minnow bench train --json`. The workload is described on the command line by
the program that calls it, so that both sides have one source: see scripts/bench_peers.
"""

import argparse
import contextlib
import json
import resource
import statistics
import time

import torch
from torch.nn import functional as F

WARM_UP = 2  # steps behind the first one, as in `minnow bench train`


class Layer(torch.nn.Module):
    """Attention and feed-forward network, each behind a norm and beside the residual stream."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm_attention = torch.nn.LayerNorm(width)
        self.norm_network = torch.nn.LayerNorm(width)
        self.into_heads = torch.nn.Linear(width, 3 * width)
        self.from_heads = torch.nn.Linear(width, width)
        self.widen = torch.nn.Linear(width, 4 * width)
        self.narrow = torch.nn.Linear(4 * width, width)

    def attend(self, x):
        rows, length, width = x.shape
        parts = self.into_heads(x).chunk(3, dim=-1)
        query, key, value = (
            part.reshape(rows, length, self.heads, width // self.heads).transpose(1, 2) for part in parts
        )
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.from_heads(mixed.transpose(1, 2).reshape(rows, length, width))

    def forward(self, x):
        x = x + self.attend(self.norm_attention(x))
        return x + self.narrow(F.gelu(self.widen(self.norm_network(x)), approximate="tanh"))


class Gpt(torch.nn.Module):
    """Learned positions, pre-norm layers, the head tied to the embedding; returns the mean cross entropy."""

    def __init__(self, length, layers, heads, width, vocabulary):
        super().__init__()
        self.tokens = torch.nn.Embedding(vocabulary, width)
        self.places = torch.nn.Embedding(length, width)
        self.layers = torch.nn.ModuleList([Layer(width, heads) for _ in range(layers)])
        self.last_norm = torch.nn.LayerNorm(width)
        for weight in self.parameters():
            if weight.ndim == 2:
                torch.nn.init.normal_(weight, std=0.02)

    def forward(self, ids, targets):
        x = self.tokens(ids) + self.places.weight[: ids.shape[1]]
        for layer in self.layers:
            x = layer(x)
        scores = F.linear(self.last_norm(x), self.tokens.weight)
        return F.cross_entropy(scores.reshape(-1, scores.shape[-1]), targets.reshape(-1))


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for size in ("batch", "length", "layers", "heads", "width", "vocabulary", "steps"):
        parser.add_argument(f"--{size}", type=int, required=True)
    parser.add_argument("--mode", choices=("eager", "compile"), default="eager")
    parser.add_argument("--precision", choices=("f32", "bf16"), default="f32")
    parser.add_argument("--threads", type=int, default=0, help="0 = PyTorch's own choice")
    return parser.parse_args()


def main():
    options = parse()
    if options.threads > 0:
        torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    model = Gpt(options.length, options.layers, options.heads, options.width, options.vocabulary)
    weights = list(model.parameters())
    optimizer = torch.optim.AdamW(weights, lr=1e-3, betas=(0.9, 0.99), weight_decay=0.1, fused=True)
    run = torch.compile(model) if options.mode == "compile" else model
    shape = (options.batch, options.length)
    ids = torch.randint(options.vocabulary, shape)
    targets = torch.randint(options.vocabulary, shape)

    def precision():
        if options.precision == "bf16":
            return torch.autocast("cpu", dtype=torch.bfloat16)
        return contextlib.nullcontext()

    def step():
        begin = time.perf_counter()
        with precision():
            loss = run(ids, targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        loss.item()
        return time.perf_counter() - begin

    first = step()
    for _ in range(WARM_UP):
        step()
    median = statistics.median(step() for _ in range(options.steps))
    print(
        json.dumps(
            {
                "program": f"PyTorch {torch.__version__} {options.mode}",
                "precision": options.precision,
                "tokens_per_s": round(options.batch * options.length / median, 1),
                "ms_per_step": round(median * 1e3, 3),
                "first_step_s": round(first, 4),
                "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
                "threads": torch.get_num_threads(),
                "parameters": sum(weight.numel() for weight in weights),
            }
        )
    )


if __name__ == "__main__":
    main()
