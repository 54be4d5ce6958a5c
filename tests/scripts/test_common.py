"""What quickstart and test do about packages, played through with a pretended apt-get."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

DPKG = """#!/bin/sh
for last; do :; done
grep -qx "$last" "$FAKE/installed" && printf installed
"""
APT = """#!/bin/sh
echo "$@" >>"$FAKE/calls"
case "$*" in
  *update*) touch "$FAKE/lists" ;;
  *) test -e "$FAKE/lists" || exit 100 ;;
esac
"""


def sections():
    text = (ROOT / "scripts/packages.txt").read_text()
    return {name: body.split() for name, body in re.findall(r"^\[(\w+)\]\n((?:[^\[#\n].*\n)*)", text, re.MULTILINE)}


class Packages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.fake = pathlib.Path(folder.name)
        for name, text in (("dpkg-query", DPKG), ("apt-get", APT), ("sudo", '#!/bin/sh\nexec "$@"\n')):
            file = self.fake / name
            file.write_text(text)
            file.chmod(0o755)

    def install(self, installed, *, lists):
        (self.fake / "installed").write_text("\n".join(installed) + "\n")
        if lists:
            (self.fake / "lists").touch()
        environment = dict(os.environ, FAKE=str(self.fake), PATH=f"{self.fake}:{os.environ['PATH']}")
        result = subprocess.run(
            ["bash", "-euc", "source scripts/common.sh; install_packages build test"],
            cwd=ROOT, env=environment, capture_output=True, text=True,
        )
        calls = self.fake / "calls"
        return result, calls.read_text().splitlines() if calls.exists() else []

    def test_the_sections_hold_packages(self):
        self.assertEqual(set(sections()), {"build", "test", "sanitize", "check", "arm"})
        self.assertIn("libopenblas-dev", sections()["build"])

    def test_nothing_missing_nothing_called(self):
        result, calls = self.install(sections()["build"] + sections()["test"], lists=False)
        self.assertEqual((result.returncode, calls, result.stderr), (0, [], ""))

    def test_one_line_printed_first_with_what_is_missing(self):
        wanted = sections()["build"] + sections()["test"]
        result, calls = self.install(wanted[:-2], lists=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("update", " ".join(calls))
        first = result.stderr.splitlines()[0]
        self.assertTrue(first.endswith(f"apt-get install -y --no-install-recommends {' '.join(wanted[-2:])}"), first)
        self.assertEqual(first.startswith("sudo "), os.geteuid() != 0)

    def test_package_lists_are_fetched_only_when_needed(self):
        result, calls = self.install([], lists=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual([call.split()[0] for call in calls], ["install", "update", "install"])


if __name__ == "__main__":
    unittest.main()
