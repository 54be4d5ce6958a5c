#!/usr/bin/env python3
"""Times text generation of a GPT-2 with random weights by transformers: one stream, greedy.

usage: transformers_generate.py --length T --layers L --heads H --width C --vocabulary V --prompt P --tokens N
                                [--precision f32|bf16] [--threads N]

Prints one line of JSON with the fields of `minnow bench generate --json`; called by scripts/bench_generation.
"""

import argparse
import json
import os
import resource
import statistics
import time

import torch
from transformers import GPT2Config, GPT2LMHeadModel

ROUNDS = 3


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("length", "layers", "heads", "width", "vocabulary", "prompt", "tokens"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--precision", choices=("f32", "bf16"), default="f32")
    parser.add_argument("--threads", type=int, default=0, help="0 = all processors")
    return parser.parse_args()


def seconds_of(model, prompt, tokens):
    """Of reading the prompt and choosing `tokens` tokens."""
    begin = time.perf_counter()
    out = model.generate(
        prompt,
        attention_mask=torch.ones_like(prompt),
        do_sample=False,
        max_new_tokens=tokens,
        min_new_tokens=tokens,
        pad_token_id=0,
        eos_token_id=None,
    )
    spent = time.perf_counter() - begin
    assert out.shape[1] == prompt.shape[1] + tokens
    return spent


def main():
    options = parse()
    torch.set_num_threads(options.threads or os.cpu_count())
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=options.vocabulary,
        n_positions=options.length,
        n_embd=options.width,
        n_layer=options.layers,
        n_head=options.heads,
        bos_token_id=None,
        eos_token_id=None,
    )
    model = GPT2LMHeadModel(config).eval()
    if options.precision == "bf16":
        model = model.to(torch.bfloat16)
    prompt = torch.randint(0, options.vocabulary, (1, options.prompt))
    with torch.inference_mode():
        seconds_of(model, prompt, 4)
        alone = statistics.median(seconds_of(model, prompt, 1) for _ in range(ROUNDS))
        whole = statistics.median(seconds_of(model, prompt, options.tokens + 1) for _ in range(ROUNDS))
    result = {
        "tokens_per_s": options.tokens / (whole - alone),
        "prompt_tokens_per_s": options.prompt / alone,
        "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "parameters": sum(weight.numel() for weight in model.parameters()),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
