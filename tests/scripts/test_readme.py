"""Runs the tour of README.md, command by command, with a short training and proof; and holds that what it names exists."""

import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("MINNOW_BINARY", ROOT / "build/minnow"))
README = (ROOT / "README.md").read_text(encoding="utf-8")

# The tour's training, made short: every command that trains gets these.
SHORT = ["--set", "train.max_steps=6", "--set", "train.batch_size=2", "--set", "model.n_layer=1", "--set", "model.n_embd=32",
         "--set", "model.block_size=32", "--set", "eval.every_steps=0", "--set", "checkpoint.every_steps=3",
         "--set", "schedule.warmup_steps=2", "--set", "sample.every_steps=0",
         "--set", "log.every_steps=1"]

# `verify` trains once for every step at which it interrupts, each time to the end and through the whole split.
SHORT_VERIFY = ["--steps", "4"]


def tour():
    (block,) = re.findall(r"^```sh\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    return [shlex.split(line) for line in block.splitlines() if line and not line.startswith("#")]


class Tour(unittest.TestCase):
    @unittest.skipUnless(BINARY.exists(), f"needs the program: {BINARY}")
    def test_every_command_works(self):
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            (place / "build").mkdir()
            (place / "build/minnow").symlink_to(BINARY)
            (place / "configs").symlink_to(ROOT / "configs")
            for command in tour():
                self.assertEqual(command[0], "build/minnow")
                command += {"train": SHORT, "verify": SHORT_VERIFY}.get(command[1], [])
                result = subprocess.run(command, cwd=place, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                        timeout=120, check=False)
                with self.subTest(shlex.join(command)):
                    self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                    self.assertTrue(result.stdout + result.stderr, "no output at all")


class Names(unittest.TestCase):
    def test_links_lead_somewhere(self):
        for file in ("README.md", "data/README.md", "THIRD_PARTY.md"):
            text = (ROOT / file).read_text(encoding="utf-8")
            for link in re.findall(r"\]\(([^)#:]+)\)", text):
                self.assertTrue((ROOT / file).parent.joinpath(link).exists(), f"{file}: {link}")

    def test_scripts_and_configs_exist(self):
        named = re.findall(r"\bscripts/\w+(?:\.\w+)?|\.ci/run\b", README)
        named += [f"configs/{name}" for name in re.findall(r"^\| (\w+\.toml) \|", README, re.MULTILINE)]
        self.assertGreater(len(named), 8)
        for name in named:
            self.assertTrue((ROOT / name).exists(), name)

    def test_every_config_is_in_the_table(self):
        for config in (ROOT / "configs").glob("*.toml"):
            self.assertIn(f"| {config.name} |", README)

    def test_exit_codes_are_those_of_the_source(self):
        header = (ROOT / "include/minnow/base/error.hpp").read_text(encoding="utf-8")
        for code in re.findall(r"^  k\w+ = (\d+),", header, re.MULTILINE):
            self.assertRegex(README, rf"(?m)^\|[^|]*\b{code}\b[^|]*\|", code)

    def test_data_sets_are_those_of_get_data(self):
        rows = re.findall(r"^(\w+)\|(\S+?)\|(\d+)\|", (ROOT / "scripts/get_data").read_text(), re.MULTILINE)
        table = (ROOT / "data/README.md").read_text(encoding="utf-8")
        self.assertGreater(len(rows), 3)
        for name, file, size in rows:
            self.assertIn(f"| {name} | {file} | {int(size):,} |", table)


if __name__ == "__main__":
    unittest.main()
