#!/usr/bin/env python3
"""Runs clang-tidy over the library and the program, in parallel; a file that was clean and has not changed is skipped.

usage: run_tidy.py BUILD [PATH...]    BUILD holds compile_commands.json; PATHs (default: src) choose the files

What counts as changed: the file, any project header it includes, directly or not, its command line, .clang-tidy, and
clang-tidy's version. Clean results are remembered as empty files in .cache/tidy.
"""

import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache/tidy"
TIDY = "clang-tidy-14"
INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)


@functools.cache
def headers_of(path):
    """The project's own headers that a file includes directly."""
    found = []
    for name in INCLUDE.findall(path.read_bytes()):
        for folder in (path.parent, ROOT / "include", ROOT / "src"):
            if (candidate := folder / name.decode()).is_file():
                found.append(candidate.resolve())
                break
    return found


def closure(path):
    seen, waiting = set(), [path]
    while waiting:
        if (file := waiting.pop()) not in seen:
            seen.add(file)
            waiting += headers_of(file)
    return sorted(seen)


@functools.cache
def settings():
    version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
    return version + (ROOT / ".clang-tidy").read_bytes()


def fingerprint(entry):
    digest = hashlib.sha256(settings() + entry["command"].encode())
    for file in closure(pathlib.Path(entry["file"])):
        digest.update(str(file).encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def check(entry, build):
    """(file, seconds, text): the text is empty when the file is clean, the time zero when nothing had to be done."""
    mark = CACHE / fingerprint(entry)
    if mark.exists():
        return entry["file"], 0.0, ""
    begin = time.monotonic()
    command = [TIDY, "--quiet", "-p", str(build), entry["file"]]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode == 0:
        mark.touch()
        return entry["file"], time.monotonic() - begin, ""
    return entry["file"], time.monotonic() - begin, result.stdout + re.sub(r"\d+ warnings? .*generated.*\n", "", result.stderr)


def chosen(build, paths):
    wanted = [(ROOT / path).resolve() for path in paths]
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["file"]).resolve()
        if any(path == file or path in file.parents for path in wanted):
            yield entry


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1]).resolve()
    CACHE.mkdir(parents=True, exist_ok=True)
    entries = list(chosen(build, sys.argv[2:] or ["src"]))
    if not entries:
        sys.exit(f"run_tidy: no file of {build}/compile_commands.json lies in what was asked for")
    failed, fresh = 0, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for _, seconds, text in pool.map(lambda entry: check(entry, build), entries):
            fresh += seconds > 0
            if text:
                failed += 1
                print(text, flush=True)
    print(f"tidy: {len(entries)} files, {fresh} looked at, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
