"""Learned WordPiece vocabularies: minnow against tokenizers' WordPieceTrainer. Part of scripts/check_tokenizers.

Both merge the most frequent pair of pieces again and again, and of equally frequent ones that of the older tokens. But
tokenizers numbers the pieces "##c" in the order of a hash table of words, which is another in every process: two of its own
vocabularies differ. So vocabularies must be equal as far as no two pairs are equally frequent; of whole texts most tokens must
be the same, and words must not take more of them.
"""

import collections
import json
import sys

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def their_learner(texts, size, min_frequency):
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.train_from_iterator(texts, trainers.WordPieceTrainer(
        vocab_size=size, min_frequency=min_frequency, limit_alphabet=1000, special_tokens=SPECIAL, show_progress=False))
    return made


def our_learner(minnow, corpus, size, min_frequency, out):
    minnow.run("tokenizer", "train", corpus, "--type", "wordpiece", "--vocab-size", size, "--min-frequency", min_frequency,
               "--out", out, "--overwrite")
    return json.loads(out.read_text(encoding="utf-8"))["model"]["vocab"]


def merges_without_ties(words):
    """How many merges there are before two pairs are equally frequent, and the characters' tokens. The rule itself, slowly."""
    spelled = {tuple([word[0], *("##" + letter for letter in word[1:])]): count for word, count in words.items()}
    tokens = {letter for word in words for letter in word} | {piece for word in spelled for piece in word}
    first, known = len(tokens), set(tokens)
    while True:
        counts = collections.Counter()
        for word, count in spelled.items():
            for pair in zip(word, word[1:]):
                counts[pair] += count
        best = counts.most_common(2)
        if not best or (len(best) == 2 and best[0][1] == best[1][1]):
            return first, len(known) - first
        left, right = best[0][0]
        joined = left + right[2:]
        known.add(joined)
        merged = collections.Counter()
        for word, count in spelled.items():
            now, i = [], 0
            while i < len(word):
                both = word[i:i + 2] == (left, right)
                now.append(joined if both else word[i])
                i += 2 if both else 1
            merged[tuple(now)] += count
        spelled = merged


def check_equal_without_ties(minnow, rng, folder):
    corpus, out, compared = folder / "ties.txt", folder / "ties.json", 0
    for _ in range(60):
        words = {"".join(rng.choice("abcde") for _ in range(rng.randint(2, 6))): rng.randint(5, 400) for _ in range(rng.randint(5, 25))}
        first, merges = merges_without_ties(words)
        text = " ".join(" ".join([word] * count) for word, count in words.items())
        corpus.write_text(text, encoding="utf-8")
        size = len(SPECIAL) + first + merges
        ours = set(our_learner(minnow, corpus, size, 1, out))
        theirs = set(their_learner([text], size, 1).get_vocab())
        if ours != theirs or len(ours) != size:
            sys.exit(f"check_tokenizers: WordPiece of {words}: minnow alone {sorted(ours - theirs)}, the other {sorted(theirs - ours)}")
        compared += merges
    print(f"  learned WordPiece: {compared} merges without a tie, the same tokens", file=sys.stderr, flush=True)


def check_text(minnow, text, folder, size=8000):
    from tokenizers import Tokenizer

    cut = text.rindex("\n", 0, len(text) * 9 // 10)
    learned, held_out = text[:cut], text[cut:]
    corpus, out = folder / "learned.txt", folder / "learned.json"
    corpus.write_text(learned, encoding="utf-8")
    ours = our_learner(minnow, corpus, size, 2, out)
    theirs = their_learner([learned], size, 2)
    vocabulary = theirs.get_vocab()
    if len(ours) != len(vocabulary):
        sys.exit(f"check_tokenizers: WordPiece: {len(ours)} tokens learned, by tokenizers {len(vocabulary)}")
    shared = len(ours.keys() & vocabulary.keys()) / len(ours)
    words = len(held_out.split())
    loaded = Tokenizer.from_file(str(out))
    per_word = [len(one.encode(held_out, add_special_tokens=False).ids) / words for one in (loaded, theirs)]
    again = len(vocabulary.keys() & their_learner([learned], size, 2).get_vocab().keys()) / len(vocabulary)
    print(f"  learned WordPiece: {len(ours)} tokens of both, {100 * shared:.2f} % the same (two of tokenizers: {100 * again:.2f} %), "
          f"tokens per held-out word {per_word[0]:.4f} and {per_word[1]:.4f}", file=sys.stderr, flush=True)
    if shared < 0.99 or per_word[0] > 1.002 * per_word[1]:
        sys.exit("check_tokenizers: the learned WordPiece vocabulary must share 99 % of its tokens and need no more of them")


def check_learned_pieces(text, minnow, rng, folder):
    check_equal_without_ties(minnow, rng, folder)
    check_text(minnow, text, folder)
