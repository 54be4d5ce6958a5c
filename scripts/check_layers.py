#!/usr/bin/env python3
"""Fails on any #include that points from a layer to one on its right, and on what only certain layers may use.

usage: check_layers.py [ROOT]    exit code 1 when something is found, each as FILE:LINE: what
"""

import pathlib
import re
import sys

import cpp_text

# The trunk, left to right: a layer may include every layer to its left.
TRUNK = ["base", "kernels", "tensor", "autograd", "ops", "nn", "models", "tasks", "gen", "train", "report", "serve", "cli"]

# The branches: what they stand on, and the leftmost layer of the trunk that may include them.
BRANCHES = {
    "io": (["base", "kernels", "tensor"], "models"),
    "optim": (["base", "kernels", "tensor"], "train"),
    "dist": (["base", "kernels", "tensor"], "train"),
    "text": (["base"], "tasks"),
    "data": (["base", "text"], "tasks"),
    "config": (["base"], "models"),
    "exchange": (["base", "kernels", "tensor", "config", "text", "io"], "train"),
}

INTRINSICS = re.compile(r"[<\"](?:\w*intrin\.h|arm_\w+\.h|hwy/[^>\"]*)[>\"]")
INTRINSIC_CALL = re.compile(r"\b(?:_mm\d*_\w+|__m\d+[id]?|__builtin_ia32_\w+)\b")
HEAVY = re.compile(r"[<\"](?:CLI|spdlog|nlohmann|toml\+\+)/")
PRINTS_OR_ENDS = re.compile(
    r"\bstd::(?:cout|cerr|clog)\b|(?<![\w.>:])(?:std::)?(?:printf|fprintf|puts|putchar|perror|exit|_exit|quick_exit|abort"
    r"|terminate)\s*\(|\bfmt::print(?:ln)?\s*\("
)
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*(?P<name>[<\"][^>\"\n]+[>\"])", re.MULTILINE)


def allowed_layers():
    """For each layer the set of layers that it may include, itself among them."""
    allowed = {}
    for place, layer in enumerate(TRUNK):
        allowed[layer] = set(TRUNK[: place + 1])
        allowed[layer] |= {name for name, (_, first) in BRANCHES.items() if TRUNK.index(first) <= place}
    for name, (ground, _) in BRANCHES.items():
        allowed[name] = set(ground) | {name}
    return allowed


ALLOWED = allowed_layers()


def layer_of(path):
    """src/<layer>/..., include/minnow/<layer>/...; None for what lies in no layer (the umbrella header)."""
    parts = path.parts[2:] if path.parts[:2] == ("include", "minnow") else path.parts[1:]
    return parts[0] if len(parts) > 1 else None


def included_layer(name):
    """The layer of an included project file, None for a foreign header."""
    parts = pathlib.PurePosixPath(name.strip('<>"')).parts
    if parts[:1] == ("minnow",):
        parts = parts[1:]
    return parts[0] if len(parts) > 1 and parts[0] in ALLOWED else None


def check_includes(path, layer, text):
    public = path.parts[0] == "include"
    for match in INCLUDE.finditer(cpp_text.blank(text, keep_strings=True)):
        name = match["name"]
        where = cpp_text.line_of(text, match.start("name"))
        target = included_layer(name)
        if target and layer and target not in ALLOWED[layer]:
            yield where, f"layer {layer} may not include {name}: {target} does not stand to its left"
        if public and HEAVY.match(name):
            yield where, f"a public header may not include {name}: it costs every user seconds of compile time"
        if layer != "kernels" and INTRINSICS.match(name):
            yield where, f"{name} belongs to the kernels"


def check_code(layer, text):
    code = cpp_text.blank(text)
    if layer != "kernels":
        for match in INTRINSIC_CALL.finditer(code):
            yield cpp_text.line_of(code, match.start()), f"intrinsic {match.group()} outside the kernels"
    if layer != "cli":
        for match in PRINTS_OR_ENDS.finditer(code):
            yield cpp_text.line_of(code, match.start()), f"the library never prints and never exits: {match.group().strip()}"


def check(root):
    """All findings below `root`, as lines of text."""
    findings = []
    for file in cpp_text.files(root, "src", "include"):
        path = file.relative_to(root)
        layer = layer_of(path)
        text = file.read_text(encoding="utf-8")
        if layer and layer not in ALLOWED:
            findings.append(f"{path}:1: {layer} is no layer; the layers are {', '.join(ALLOWED)}")
            continue
        for line, what in [*check_includes(path, layer, text), *check_code(layer, text)]:
            findings.append(f"{path}:{line}: {what}")
    return findings


def main():
    findings = check(cpp_text.root_from_arguments())
    print("\n".join(findings) if findings else "layers: clean")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
