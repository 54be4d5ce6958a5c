#!/usr/bin/env python3
"""Times text generation of a GPT-2 with random weights by llama.cpp: one stream, greedy.

usage: llama_generate.py --length T --layers L --heads H --width C --vocabulary V --prompt P --tokens N
                         [--type f32|f16|q8_0] [--threads N] [--tokenizer DIR]

DIR holds GPT-2's encoder.json and vocab.bpe; without it a vocabulary is made up, for the speed does not depend on it.
Prints one line of JSON with the fields of `minnow bench generate --json`; called by scripts/bench_generation.
"""

import argparse
import json
import os
import pathlib
import resource
import statistics
import tempfile
import time

import gguf
import llama_cpp
import numpy as np

ROUNDS = 3
MATRICES = {"attn_qkv": (3, 1), "attn_output": (1, 1), "ffn_up": (4, 1), "ffn_down": (1, 4)}  # (out, in) in widths


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("length", "layers", "heads", "width", "vocabulary", "prompt", "tokens"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--type", choices=("f32", "f16", "q8_0"), default="f32")
    parser.add_argument("--threads", type=int, default=0, help="0 = all processors")
    parser.add_argument("--tokenizer", type=pathlib.Path)
    return parser.parse_args()


def byte_letters():
    """The 256 characters that stand for bytes in GPT-2's vocabulary: printable ones for themselves."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = (chr(256 + i) for i in range(256))
    return [chr(byte) if byte in plain else next(others) for byte in range(256)]


def vocabulary(options):
    """Tokens and merges."""
    if options.tokenizer is None:
        letters = byte_letters()
        made = [f"{a}{b}{c}" for a in letters[65:91] for b in letters[65:123] for c in letters[65:123]]
        return (letters + made)[: options.vocabulary], [f"{letters[65]} {letters[66]}"]
    ids = json.loads((options.tokenizer / "encoder.json").read_text(encoding="utf-8"))
    lines = (options.tokenizer / "vocab.bpe").read_text(encoding="utf-8").split("\n")
    return sorted(ids, key=ids.get), [line for line in lines[1:] if line]


class ModelFile:
    """Writes random weights; counts the parameters."""

    def __init__(self, options, path):
        self.kind = getattr(gguf.GGMLQuantizationType, options.type.upper())
        self.random = np.random.default_rng(0)
        self.parameters = 0
        self.writer = gguf.GGUFWriter(path, "gpt2")
        tokens, merges = vocabulary(options)
        if len(tokens) != options.vocabulary:
            raise SystemExit(f"llama_generate: the vocabulary must have {options.vocabulary} tokens; got {len(tokens)}")
        self.writer.add_context_length(options.length)
        self.writer.add_block_count(options.layers)
        self.writer.add_embedding_length(options.width)
        self.writer.add_head_count(options.heads)
        self.writer.add_feed_forward_length(4 * options.width)
        self.writer.add_layer_norm_eps(1e-5)
        self.writer.add_tokenizer_model("gpt2")
        self.writer.add_tokenizer_pre("gpt-2")
        self.writer.add_token_list(tokens)
        self.writer.add_token_types([gguf.TokenType.NORMAL] * len(tokens))
        self.writer.add_token_merges(merges)
        self.writer.add_bos_token_id(len(tokens) - 1)
        self.writer.add_eos_token_id(len(tokens) - 1)

    def matrix(self, name, rows, columns, kind=None):
        values = self.random.standard_normal((rows, columns), dtype=np.float32) * np.float32(0.02)
        kind = self.kind if kind is None else kind
        self.parameters += values.size
        self.writer.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)

    def vector(self, name, values):
        self.parameters += values.size
        self.writer.add_tensor(name, values.astype(np.float32))

    def norm(self, name, width):
        self.vector(f"{name}.weight", np.ones(width))
        self.vector(f"{name}.bias", np.zeros(width))

    def close(self):
        self.writer.write_header_to_file()
        self.writer.write_kv_data_to_file()
        self.writer.write_tensors_to_file()
        self.writer.close()


def write_model(options, path):
    """@return the number of parameters; the head is the embedding, as in GPT-2."""
    file, width = ModelFile(options, path), options.width
    file.matrix("token_embd.weight", options.vocabulary, width)
    file.matrix("position_embd.weight", options.length, width, gguf.GGMLQuantizationType.F32)
    file.norm("output_norm", width)
    for layer in range(options.layers):
        file.norm(f"blk.{layer}.attn_norm", width)
        file.norm(f"blk.{layer}.ffn_norm", width)
        for name, (outs, ins) in MATRICES.items():
            file.matrix(f"blk.{layer}.{name}.weight", outs * width, ins * width)
            file.vector(f"blk.{layer}.{name}.bias", np.zeros(outs * width))
    file.close()
    return file.parameters


def write_text(model, prompt, tokens):
    """Seconds of the prompt, and of `tokens` tokens behind it, each chosen and read."""

    def best():
        return int(np.ctypeslib.as_array(llama_cpp.llama_get_logits_ith(model.ctx, -1), (model.n_vocab(),)).argmax())

    model.reset()
    begin = time.perf_counter()
    model.eval(prompt)
    token = best()
    middle = time.perf_counter()
    for _ in range(tokens):
        model.eval([token])
        token = best()
    return middle - begin, time.perf_counter() - middle


def main():
    options = parse()
    threads = options.threads or os.cpu_count()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "random.gguf")
        parameters = write_model(options, path)
        context = options.prompt + options.tokens + 8
        model = llama_cpp.Llama(path, n_ctx=context, n_threads=threads, n_threads_batch=threads, verbose=False)
        prompt = [(7919 * i) % options.vocabulary for i in range(1, options.prompt + 1)]
        write_text(model, prompt, 4)
        rounds = [write_text(model, prompt, options.tokens) for _ in range(ROUNDS)]
    result = {
        "tokens_per_s": options.tokens / statistics.median(text for _, text in rounds),
        "prompt_tokens_per_s": options.prompt / statistics.median(read for read, _ in rounds),
        "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "parameters": parameters,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
