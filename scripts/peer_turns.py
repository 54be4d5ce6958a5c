"""What the comparisons with other programs share: their virtual environment, their results, the table."""

import json
import pathlib
import subprocess
import sys

DEFAULT_VENV = pathlib.Path.home() / ".cache" / "minnow-peers"


def say(text):
    print(text, file=sys.stderr, flush=True)


def python_with(venv, modules, note):
    """The interpreter of the virtual environment, which is made, and filled with what is missing.

    modules: name to import -> name on PyPI. note: what to expect of the installation.
    """
    python = venv / "bin" / "python"
    if not python.exists():
        say(f"making the virtual environment {venv}")
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    missing = [
        package
        for module, package in modules.items()
        if subprocess.run([python, "-c", f"import {module}"], capture_output=True, check=False).returncode != 0
    ]
    if missing:
        say(f"installing {', '.join(missing)} from PyPI ({note})")
        subprocess.run([python, "-m", "pip", "install", "--quiet", *missing], check=True)
    return python


def measure(command):
    """The JSON object that a program prints last, or None with a word on why."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    for line in reversed(done.stdout.splitlines()):
        if line.startswith("{"):
            return json.loads(line)
    words = done.stderr.strip().splitlines() or ["no words"]
    say(f"  no result (exit code {done.returncode}): {words[-1]}")
    return None


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "an unknown processor"


def print_table(head, words, rows):
    """Markdown; the first `words` columns are words, the others figures."""
    rule = ["---"] * words + ["--:"] * (len(head) - words)
    for row in [head, rule, *rows]:
        print("| " + " | ".join(row) + " |")
