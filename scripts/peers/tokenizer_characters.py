"""Byte pairs of characters, as LLaMA 2, Mistral and Gemma have them: minnow against tokenizers. Part of scripts/check_tokenizers."""

import hashlib
import json
import pathlib
import sys
import time

SIGN = "\u2581"
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
CORNERS = [SIGN, SIGN * 2, " " + SIGN, SIGN + " ", "</s>", "<s>", "<unk>", "<0x41>", "<0x0a>", "[L]", "[R]", "[N]", " [N] ", "[N", "word", "wordy",
           "[a b]", "[a b", " </s> ", "</s></s>", "\u00e9\u4e2d\U0001f600", "\u4e2d", "\U0001f600", "xx", "\ufffd"]


def replace(old, new):
    return {"type": "Replace", "pattern": {"String": old}, "content": new}


def metaspace(scheme, split):
    return {"type": "Metaspace", "replacement": SIGN, "prepend_scheme": scheme, "split": split}


PREPEND = {"type": "Prepend", "prepend": SIGN}
STRIP = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
DOUBLING = {"type": "Replace", "pattern": {"Regex": "\\A" + SIGN}, "content": SIGN * 2}
IDLE_SPLIT = {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False}
LLAMA_NORMALIZER = {"type": "Sequence", "normalizers": [PREPEND, replace(" ", SIGN)]}


def merges_of(vocabulary):
    """Every way to make a token of two, in the order of the tokens, as transformers derives merges of a SentencePiece model."""
    merges = []
    for piece in vocabulary:
        halves = [(piece[:cut], piece[cut:]) for cut in range(1, len(piece))]
        halves = [pair for pair in halves if pair[0] in vocabulary and pair[1] in vocabulary]
        merges += sorted(halves, key=lambda pair: (vocabulary[pair[0]], vocabulary[pair[1]]))
    return merges


def added(content, token, **flags):
    return {"id": token, "content": content, **{flag: flags.get(flag, False)
            for flag in ("single_word", "lstrip", "rstrip", "normalized", "special")}}


def pieces_of(data, folder):
    """A vocabulary as SentencePiece learns it."""
    import sentencepiece

    corpus = folder / "characters.txt"
    text = (data / "multilingual_sample.txt").read_text(encoding="utf-8")
    corpus.write_text("\n".join(line for line in text.split("\n") if line.strip()), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(corpus), model_prefix=str(folder / "characters"), vocab_size=4000, minloglevel=2, hard_vocab_limit=False,
        model_type="bpe", byte_fallback=True, normalization_rule_name="identity", remove_extra_whitespaces=False,
        allow_whitespace_only_pieces=True, max_sentencepiece_length=24)
    model = sentencepiece.SentencePieceProcessor(model_file=str(folder / "characters.model"))
    return [model.id_to_piece(token) for token in range(model.get_piece_size())]


def tokenizer_json(pieces, normalizer, pre_tokenizer, strip, *, marks=(), pairs=None, bytes_left=256, **model):
    """The file; `bytes_left`: how many of the tokens for bytes it has."""
    vocabulary = {piece: token for token, piece in enumerate(p for p in pieces if p not in BYTES[bytes_left:])}
    steps = [replace(SIGN, " "), {"type": "ByteFallback"}, {"type": "Fuse"}] + [STRIP] * strip
    post = {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}}
    merges = [list(pair) for pair in merges_of(vocabulary)] if pairs is None else pairs
    return {"version": "1.0", "truncation": None, "padding": None,
            "added_tokens": [added(name, vocabulary[name], special=True) for name in ("<unk>", "<s>", "</s>")]
            + [added(name, len(vocabulary) + i, **flags) for i, (name, flags) in enumerate(marks)],
            "normalizer": normalizer, "pre_tokenizer": pre_tokenizer, "post_processor": post,
            "decoder": {"type": "Sequence", "decoders": steps},
            "model": {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
                      "end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": True, "ignore_merges": False,
                      "vocab": vocabulary, "merges": merges, **model}}


MARKS = (("[L]", {"lstrip": True}), ("[R]", {"rstrip": True}), ("word", {"single_word": True}), ("[N]", {"normalized": True}),
         ("[a b]", {"normalized": True, "lstrip": True}), ("<pad>", {"special": True}), ("[S]", {"special": True, "normalized": True}))


def kinds(pieces):
    """Every arrangement that minnow reads."""
    vocabulary = {piece: token for token, piece in enumerate(pieces)}
    odd = sorted(merges_of(vocabulary), key=lambda pair: hash_of("|".join(pair)))
    return {
        "LLaMA 2": tokenizer_json(pieces, LLAMA_NORMALIZER, None, True),
        "LLaMA 2, more tokens": tokenizer_json(pieces, LLAMA_NORMALIZER, None, True, marks=MARKS),
        "LLaMA, Metaspace first": tokenizer_json(pieces, None, metaspace("first", False), True, marks=MARKS),
        "LLaMA, Metaspace always": tokenizer_json(pieces, None, metaspace("always", False), True, marks=MARKS),
        "Gemma": tokenizer_json(pieces, replace(" ", SIGN), IDLE_SPLIT, False, marks=MARKS),
        "no prefix": tokenizer_json(pieces, None, metaspace("never", False), False),
        "SentencePiece": tokenizer_json(pieces, {"type": "Sequence", "normalizers": [replace(" ", SIGN), DOUBLING]},
                                        {"type": "Sequence", "pretokenizers": [metaspace("always", False)]}, True, marks=MARKS[:3]),
        "words": tokenizer_json(pieces, None, metaspace("always", True), True, marks=MARKS),
        "whole tokens": tokenizer_json(pieces, LLAMA_NORMALIZER, None, True, ignore_merges=True),
        "whole words": tokenizer_json(pieces, None, metaspace("first", True), True, ignore_merges=True),
        "no bytes": tokenizer_json(pieces, LLAMA_NORMALIZER, None, True, byte_fallback=False, bytes_left=0),
        "no bytes, each unknown": tokenizer_json(pieces, LLAMA_NORMALIZER, None, True, byte_fallback=False, fuse_unk=False),
        "some bytes": tokenizer_json(pieces, LLAMA_NORMALIZER, None, True, bytes_left=0xE5),
        "no unknown": tokenizer_json(pieces, LLAMA_NORMALIZER, None, True, byte_fallback=False, unk_token=None),
        "merges in any order": tokenizer_json(pieces, LLAMA_NORMALIZER, None, True, pairs=[list(pair) for pair in odd]),
    }


def hash_of(text):
    return hashlib.sha256(text.encode()).digest()


def character_text(rng, pieces, random_text):
    """A text as the other checks have it, corners of these vocabularies, and tokens one behind the other."""
    parts = [random_text(rng)] if rng.random() < 0.5 else []
    for _ in range(rng.randint(1, 8)):
        kind = rng.random()
        if kind < 0.35:
            parts.append(rng.choice(CORNERS))
        elif kind < 0.7:
            parts.append(rng.choice(pieces).replace(SIGN, rng.choice((" ", " ", " ", SIGN))))
        elif kind < 0.8:
            parts.append(rng.choice((" ", "a", "\u0301", SIGN, "\n")) * rng.randint(1, 80))
        else:
            parts.append(rng.choice((" ", "", "\n", "  ")))
    return "".join(parts)


def check_characters(options, minnow, rng, folder, random_text, require_equal):
    from tokenizers import Tokenizer

    folder = pathlib.Path(folder)
    pieces = pieces_of(options.data, folder)
    ordinary = [piece for piece in pieces if piece not in BYTES and piece not in ("<s>", "</s>", "<unk>")]
    for name, made in kinds(pieces).items():
        path, back = folder / "characters.json", folder / "characters_back.json"
        path.write_text(json.dumps(made), encoding="utf-8")
        oracle = Tokenizer.from_file(str(path))
        minnow.run("tokenizer", "convert", path, "--out", back, "--overwrite")
        written = Tokenizer.from_file(str(back))
        count = options.character_strings if name in ("LLaMA 2", "LLaMA, Metaspace first") else options.character_strings // 10
        long = (options.data / "multilingual_sample.txt").read_text(encoding="utf-8") * 10  # goes to all threads
        require_equal(f"{name}, a long text", [long], minnow.encode(path, [long], special=True, flags=("--unknown", "replace")),
                      [oracle.encode(long, add_special_tokens=False).ids])
        done = 0
        while done < count:
            texts = [character_text(rng, ordinary, random_text) for _ in range(min(50_000, count - done))]
            expected = [e.ids for e in oracle.encode_batch(texts, add_special_tokens=False)]
            flags = ("--unknown", "replace")
            require_equal(name, texts, minnow.encode(path, texts, special=True, flags=flags), expected)
            require_equal(f"{name}, written", texts[:5000], [e.ids for e in written.encode_batch(texts[:5000], add_special_tokens=False)],
                          expected[:5000])
            decode_all(name, minnow, path, oracle, expected)
            done += len(texts)
        say(f"  {done} texts as tokenizers encodes and decodes them: {name}")
    path = folder / "linear.json"
    path.write_text(json.dumps(kinds(pieces)["LLaMA 2"]), encoding="utf-8")
    check_linear(minnow, path)


def decode_all(name, minnow, path, oracle, lists):
    """Some of what is encoded, back."""
    # tokenizers 0.23 decodes special tokens that are normalized as text.
    special = {token for token, mark in oracle.get_added_tokens_decoder().items() if mark.special and mark.normalized}
    for ids in lists[:: max(1, len(lists) // 50)]:
        ids = [token for token in ids if token not in special]
        ours = minnow.run("tokenizer", "decode", path, "-", given=" ".join(map(str, ids)).encode()).decode(errors="replace")
        if ours != oracle.decode(ids):
            sys.exit(f"check_tokenizers: {name} decodes {ids} to {oracle.decode(ids)!r}, minnow to {ours!r}")


def check_linear(minnow, path):
    """Nothing splits such a text: it merges as a whole, and must take no more than twice the time for twice the length."""
    for what in ("a", " ", "\u0301", "\u4e2d", "ab", "the "):
        seconds = []
        for size in (500_000, 1_000_000):
            text = (what * (size // len(what.encode()))).encode()
            begin = time.perf_counter()
            minnow.run("tokenizer", "encode", path, "-", "--unknown", "replace", given=text)
            seconds.append(time.perf_counter() - begin)
        if seconds[1] > 3 * seconds[0] + 0.2:
            sys.exit(f"check_tokenizers: 1 MB of {what!r} takes {seconds[1]:.2f} s, half of it {seconds[0]:.2f} s")
        say(f"  1 MB of {what!r}: {seconds[1]:.2f} s")


def say(text):
    print(text, file=sys.stderr, flush=True)
