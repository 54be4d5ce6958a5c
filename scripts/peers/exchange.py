"""Compares minnow with transformers on models that go from one to the other. Started by scripts/check_exchange.

usage: exchange.py MINNOW EXCHANGE_TOOL [ONLY]
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", TRANSFORMERS_VERBOSITY="error",
                  TRANSFORMERS_NO_ADVISORY_WARNINGS="1")

import safetensors.torch  # noqa: E402
import tokenizers  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402

transformers.utils.logging.disable_progress_bar()
MINNOW, TOOL, ONLY = sys.argv[1], sys.argv[2], (sys.argv[3:] or [""])[0]
PROMPTS, LENGTH, WRITTEN = 20, 24, 20
LOGITS = 1e-4  # largest absolute difference of a logit, f32
GRADIENT = 1e-4  # largest difference of a norm or sum, relative to the norm


class Failure(Exception):
    pass


def require(holds, text):
    if not holds:
        raise Failure(text)


def minnow(*words, code=0):
    done = subprocess.run([MINNOW, *map(str, words)], capture_output=True, text=True, check=False)
    require(done.returncode == code, f"minnow {' '.join(map(str, words))}: exit code {done.returncode}, {done.stderr}")
    return done


def prompts(vocabulary, seed=1):
    torch.manual_seed(seed)
    return torch.randint(0, vocabulary, (PROMPTS, LENGTH))


def compare_numbers(place, model):
    """Logits, loss and gradients of a folder or run, by minnow and by `model`. Returns the largest difference of a logit."""
    ids = prompts(model.config.vocab_size)
    done = subprocess.run([TOOL, place], input=json.dumps(ids.tolist()), capture_output=True, text=True, check=False)
    require(done.returncode == 0, done.stderr)
    ours = json.loads(done.stdout)
    model.zero_grad()
    theirs = model(ids, labels=ids)
    theirs.loss.backward()
    worst = (torch.tensor(ours["logits"]).view_as(theirs.logits) - theirs.logits.detach()).abs().max().item()
    require(worst <= LOGITS, f"logits differ by {worst:.2g}")
    require(abs(ours["loss"] - theirs.loss.item()) <= 1e-5 * theirs.loss.item(), "losses differ")
    for name, parameter in model.named_parameters():
        if name not in ours["grads"]:  # a bias that the model does not have
            require(parameter.detach().abs().max() == 0, f"{name} is not among minnow's parameters")
            continue
        own, l2 = ours["grads"][name], parameter.grad.double().norm().item()
        require(abs(own["l2"] - l2) <= GRADIENT * l2, f"gradient of {name}: {own['l2']} and {l2}")
        if model.config.model_type != "llama" or "q_proj" not in name and "k_proj" not in name:  # rows may be reordered
            total = parameter.grad.double().sum().item()
            require(abs(own["sum"] - total) <= 10 * GRADIENT * (1e-3 + l2), f"gradient of {name}: sum {total}")
    return worst


def compare_greedy(place, model):
    ids = prompts(model.config.vocab_size, seed=2)[0, :6]
    theirs = model.generate(ids[None], do_sample=False, max_new_tokens=WRITTEN, eos_token_id=None, pad_token_id=0,
                            attention_mask=torch.ones_like(ids[None]))[0, len(ids):].tolist()
    words = ("--prompt", " ".join(map(str, ids.tolist())), "--temperature", "0", "--max-tokens", WRITTEN, "--json")
    ours = json.loads(minnow("sample", place, *words).stdout)["ids"]
    require(ours == theirs, f"greedy tokens differ: {ours} and {theirs}")


# ---- Import: what transformers writes ----

SIZES = {"vocab_size": 96, "initializer_range": 0.2, "bos_token_id": None, "eos_token_id": None}


def gpt2(**settings):
    sizes = {"n_positions": 64, "n_embd": 32, "n_layer": 2, "n_head": 4, "attn_pdrop": 0, "resid_pdrop": 0, "embd_pdrop": 0}
    torch.manual_seed(3)
    return transformers.GPT2LMHeadModel(transformers.GPT2Config(**{**SIZES, **sizes, **settings})).eval()


def llama(**settings):
    sizes = {"max_position_embeddings": 64, "hidden_size": 32, "intermediate_size": 88, "num_hidden_layers": 2,
             "num_attention_heads": 4, "num_key_value_heads": 2}
    torch.manual_seed(4)
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**{**SIZES, **sizes, **settings})).eval()


def fill_biases(model):
    """Biases begin as zeros, which would hide a bias that is ignored."""
    for name, parameter in model.named_parameters():
        if name.endswith(".bias"):
            torch.nn.init.normal_(parameter, std=0.2)
    return model


def old_names(folder, model):
    """As the first files of GPT-2: no prefix, causal masks among the weights."""
    state = {name.removeprefix("transformer."): value for name, value in model.state_dict().items() if name != "lm_head.weight"}
    for i in range(model.config.n_layer):
        state[f"h.{i}.attn.bias"] = torch.ones(1, 1, 64, 64).tril()
        state[f"h.{i}.attn.masked_bias"] = torch.tensor(-1e4)
    model.config.save_pretrained(folder)
    safetensors.torch.save_file({name: value.contiguous() for name, value in state.items()}, folder / "model.safetensors")


IMPORTS = {
    "gpt2": lambda: (gpt2(), {}),
    "gpt2 erf, untied, narrow": lambda: (gpt2(activation_function="gelu", tie_word_embeddings=False, n_inner=48,
                                              layer_norm_epsilon=1e-2), {}),
    "gpt2 relu in shards": lambda: (gpt2(activation_function="relu"), {"max_shard_size": "40KB"}),
    "gpt2 bf16": lambda: (gpt2().bfloat16(), {}),
    "gpt2 old names": lambda: (gpt2(), {"write": old_names}),
    "llama": lambda: (llama(), {}),
    "llama biases, tied, f16, shards": lambda: (llama(attention_bias=True, mlp_bias=True, tie_word_embeddings=True,
                                                      rms_norm_eps=1e-3).half(), {"max_shard_size": "30KB"}),
    "llama theta, many kv heads": lambda: (llama(num_key_value_heads=4, hidden_act="gelu",
                                                 rope_parameters={"rope_theta": 500.0, "rope_type": "default"}), {}),
}


def check_import(make, folder):
    model, how = make()
    fill_biases(model)
    if "write" in how:
        folder.mkdir()
        how["write"](folder, model)
    else:
        model.save_pretrained(folder, **how)
    if "max_shard_size" in how:
        require((folder / "model.safetensors.index.json").exists(), "there must be shards")
    read = model if "write" in how else transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    worst = compare_numbers(folder, read)
    compare_greedy(folder, read)
    again = folder.with_name(folder.name + " again")
    minnow("export", folder, "--format", "huggingface", "--out", again)
    if next(model.parameters()).dtype == torch.float32 and not how:
        require((again / "model.safetensors").read_bytes() == (folder / "model.safetensors").read_bytes(), "round trip: other bytes")
    worst = max(worst, compare_numbers(again, read))
    return worst


# ---- Export: what minnow trains ----

TRAINING = ("model.n_layer=2", "model.n_embd=32", "model.n_head=4", "model.block_size=32", "train.max_steps=30",
            "train.batch_size=4", "optimizer.learning_rate=0.01", "model.init_std=0.2", "data.path=builtin",
            "eval.every_steps=0", "checkpoint.every_steps=0")
EXPORTS = {
    "run gpt2": (),
    "run gpt2 without biases": ("model.bias=false", "model.activation=gelu_tanh"),
    "run gpt2 bytes, lines, untied": ("tokenizer.type=byte", "data.documents=lines", "model.tie_head=false", "model.n_inner=40"),
    "run gpt2 mixed biases": ("model.mlp_bias=false", "model.activation=silu", "model.norm_eps=0.001"),
    "run gpt2 average": ("optimizer.ema_decay=0.9", "eval.use_ema=true"),
    "run llama": ("model.family=llama", "model.n_kv_head=2"),
    "run llama untied, biases": ("model.family=llama", "model.tie_head=false", "model.bias=true", "model.activation=geglu"),
    "run llama interleaved": ("model.family=llama", "model.rope_style=interleaved", "model.attn_bias=true",
                              "model.rope_theta=500", "tokenizer.type=byte"),
}
REFUSED = {
    "sinusoidal": ("model.position=sinusoidal",),
    "rotary": ("model.position=rotary",),
    "gated": ("model.activation=swiglu",),
    "window": ("model.sliding_window=8",),
    "post-norm": ("model.norm_position=post",),
    "kv heads": ("model.n_kv_head=2",),
    "head bias": ("model.head_bias=true",),
    "llama partial rotary": ("model.family=llama", "model.rotary_dim=4"),
    "llama layer norm": ("model.family=llama", "model.norm=layer"),
}


def train(run, settings):
    config = run.with_suffix(".toml")
    config.write_text("")
    sets = [word for one in (*TRAINING, *settings) for word in ("--set", one)]
    minnow("train", config, "--run", run, "--quiet", *sets)


def check_tokenizer(folder, run, compared="text"):
    """The text (or ids) that transformers writes greedily is minnow's: encoding and decoding agree on the way."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    prompt = "The cat said "
    ids = tokenizer(prompt, return_tensors="pt")
    written = model.generate(ids["input_ids"], attention_mask=ids["attention_mask"], do_sample=False,
                             max_new_tokens=16)[0, ids["input_ids"].shape[1]:]
    theirs = tokenizer.decode(written, skip_special_tokens=True) if compared == "text" else written.tolist()
    ours = json.loads(minnow("sample", run, "--prompt", prompt, "--temperature", "0", "--max-tokens", 16, "--json").stdout)
    require(ours[compared] == theirs, f"{compared} {ours[compared]!r} and {theirs!r}")


def check_export(settings, run):
    train(run, settings)
    folder = run.with_name(run.name + " folder")
    minnow("export", run, "--format", "huggingface", "--out", folder)
    model, info = transformers.AutoModelForCausalLM.from_pretrained(folder, output_loading_info=True)
    require(not any(info[key] for key in ("missing_keys", "unexpected_keys", "mismatched_keys")), f"loading: {info}")
    stored = set(safetensors.torch.load_file(folder / "model.safetensors"))
    require(("lm_head.weight" in stored) == ("model.tie_head=false" in settings), "a tied head is stored once")
    worst = compare_numbers(run, model.eval())
    check_tokenizer(folder, run)
    again = run.with_name(run.name + " again")
    minnow("export", folder, "--format", "huggingface", "--out", again)
    same = (again / "model.safetensors").read_bytes() == (folder / "model.safetensors").read_bytes()
    require(same, "export, import, export: other bytes")
    return worst


# ---- LLaMA's folders with a tokenizer.model, or a tokenizer.json of byte pairs with byte_fallback ----

SENTENCES = ["Once upon a time, there was a little cat.", "The dog said: \u00e9t\u00e9 \u4e2d\u6587 \U0001f600?", "a  b\n\n\tc 12345",
             "One windy morning", "x", "Lily and Tom ran to the park; they saw a red ball."]


def learn_sentences(folder):
    """A SentencePiece model with the settings of LLaMA 2's, learned from these sentences."""
    import sentencepiece

    text = folder.with_suffix(".txt")
    text.write_text("\n".join(SENTENCES * 20), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(text), model_prefix=str(folder / "tokenizer"), vocab_size=340, minloglevel=2, model_type="bpe", byte_fallback=True,
        hard_vocab_limit=False, normalization_rule_name="identity", remove_extra_whitespaces=False, split_digits=True)
    (folder / "tokenizer.vocab").unlink()
    return sentencepiece.SentencePieceProcessor(model_file=str(folder / "tokenizer.model"))


def ids_of(place, text):
    return [int(word) for word in minnow("tokenizer", "encode", place, text).stdout.split()]


def check_sentencepiece(folder, as_json):
    if not json.loads(minnow("doctor", "--json").stdout)["sentencepiece"]:
        print("        minnow was built without SentencePiece: not checked")
        return 0.0
    folder.mkdir()
    sentences = learn_sentences(folder)
    model = llama(vocab_size=sentences.get_piece_size(), bos_token_id=1, eos_token_id=2)
    model.save_pretrained(folder)
    (folder / "tokenizer_config.json").write_text(json.dumps({
        "tokenizer_class": "LlamaTokenizer", "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "add_bos_token": True}))
    if as_json:
        transformers.AutoTokenizer.from_pretrained(folder).save_pretrained(folder)
        (folder / "tokenizer.model").unlink()
        require((folder / "tokenizer.json").exists(), "transformers writes a tokenizer.json")
    seen = minnow("inspect", folder, "--json")
    require(json.loads(seen.stdout)["tokenizer"] == ("bpe" if as_json else "sentencepiece"), f"inspect: {seen.stderr}")
    run, tuned = folder.with_name(folder.name + " run"), folder.with_name(folder.name + " tuned")
    minnow("import", folder, "--run", run)
    config = folder.with_suffix(".toml")
    config.write_text('[data]\npath = "builtin"\n[train]\nmax_steps = 3\nbatch_size = 4\n[schedule]\nwarmup_steps = 0\n')
    minnow("train", config, "--init-from", folder, "--run", tuned, "--quiet", "--set", "tokenizer.unknown=replace")
    minnow("train", "--resume", tuned, "--set", "train.max_steps=4", "--quiet")
    minnow("eval", tuned)
    worst = 0.0
    for place in (folder, run, tuned):
        out = folder.with_name(f"{place.name} out")
        minnow("export", place, "--format", "huggingface", "--out", out)
        read = transformers.AutoModelForCausalLM.from_pretrained(out).eval()
        worst = max(worst, compare_numbers(place, read))
        readers = [transformers.AutoTokenizer.from_pretrained(out), transformers.LlamaTokenizerFast.from_pretrained(out)]
        for text in SENTENCES:
            own = ids_of(out, text)
            require(own == sentences.encode(text) == ids_of(place, text), f"{place.name}: minnow's ids of {text!r}")
            require(sentences.decode(own) == text, f"{text!r} does not come back")
            for reader in readers:
                require(reader(text, add_special_tokens=False)["input_ids"] == own, f"{out.name}: ids of {text!r} by {type(reader)}")
        require(readers[0].bos_token_id == 1 and readers[0].eos_token_id == 2, f"{out.name}: <s> begins and </s> ends texts")
        if place != tuned:
            require(readers[0]("x")["input_ids"][0] == 1, f"{out.name}: prompts begin with <s>")
            check_tokenizer(out, place, "ids")  # bytes that are no UTF-8 are shown otherwise: U+FFFD for each
    return worst


# ---- Vocabularies with more rows than the tokenizer has tokens ----

PADDED_ROWS = 320


def byte_pairs():
    """A tokenizer of less than PADDED_ROWS tokens."""
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=290, initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
                                             show_progress=False)
    made.train_from_iterator(["the cat sat on the mat, and the dog sat there too " * 3], trainer)
    return made


def check_padded(make, folder):
    tokens = byte_pairs()
    size = tokens.get_vocab_size()
    require(size < PADDED_ROWS, "there must be rows without a token")
    make(vocab_size=PADDED_ROWS).save_pretrained(folder)
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokens).save_pretrained(folder)
    read = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    worst = compare_numbers(folder, read)
    run, out, tuned = (folder.with_name(folder.name + word) for word in (" run", " out", " tuned"))
    minnow("import", folder, "--run", run)
    config = folder.with_suffix(".toml")
    config.write_text('[data]\npath = "builtin"\n[train]\nmax_steps = 3\nbatch_size = 4\n[schedule]\nwarmup_steps = 0\n')
    minnow("train", config, "--init-from", folder, "--run", tuned, "--quiet")
    for place in (folder, run, tuned):
        lines = minnow("sample", place, "--prompt", "the cat", "--count", 8, "--max-tokens", 50, "--json").stdout.splitlines()
        ids = [token for line in lines for token in json.loads(line)["ids"]]
        require(len(ids) == 400 and max(ids) < size, f"{place.name}: an id of the padding was written")
    minnow("eval", tuned)
    minnow("export", tuned, "--format", "huggingface", "--out", out)
    model = transformers.AutoModelForCausalLM.from_pretrained(out).eval()
    require(model.config.vocab_size == PADDED_ROWS, "the padding stays")
    require(len(transformers.AutoTokenizer.from_pretrained(out)) == size, "the tokenizer stays")
    worst = max(worst, compare_numbers(tuned, model))
    written = model.generate(torch.zeros(8, 1, dtype=torch.long), do_sample=True, max_new_tokens=50, min_new_tokens=50)
    require(written.max() < size, "transformers wrote an id of the padding")
    return worst


def check_refusals(run):
    for name, settings in REFUSED.items():
        one, out = run.with_name(name), run.with_name(name + " folder")
        train(one, settings)
        words = minnow("export", one, "--format", "huggingface", "--out", out, code=2).stderr
        require("[export]" in words and not out.exists(), f"{name}: {words}")
        plan = json.loads(minnow("plan", one, "--seconds", "0", "--json").stdout)
        require(plan["exports_as"] is None and plan["why_not_exported"] in words.replace("\n", " "), f"{name}: plan says {plan}")
    return 0.0


def checks(folder):
    for name, make in IMPORTS.items():
        yield "import " + name, lambda make=make, name=name: check_import(make, folder / name)
    for name, settings in EXPORTS.items():
        yield "export " + name, lambda settings=settings, name=name: check_export(settings, folder / name)
    for name, make in {"gpt2": gpt2, "llama": llama}.items():
        yield f"padded {name}", lambda make=make, name=name: check_padded(make, folder / f"padded {name}")
    yield "llama with tokenizer.model", lambda: check_sentencepiece(folder / "sentences", False)
    yield "llama with byte_fallback", lambda: check_sentencepiece(folder / "characters", True)
    yield "refusals", lambda: check_refusals(folder / "refused")


def main():
    print(f"transformers {transformers.__version__}, torch {torch.__version__}; largest difference of a logit:")
    failed = 0
    with tempfile.TemporaryDirectory(prefix="minnow-exchange-") as name:
        for what, check in checks(pathlib.Path(name)):
            if ONLY not in what:
                continue
            try:
                print(f"ok      {what:<40} {check():.1e}", flush=True)
            except Failure as failure:
                failed += 1
                print(f"FAILED  {what}: {failure}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
