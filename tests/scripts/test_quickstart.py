"""quickstart's own logic, with pretended tools: where it works, what it calls, that it can be run again."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

MINNOW = """#!/bin/sh
echo "$PWD: $*" >>"$FAKE/calls"
case "$1" in
  train) test "$FAIL" = train && exit 6; mkdir -p "$4" ;;
esac
"""


class Quickstart(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.fake = pathlib.Path(folder.name).resolve()
        self.project = self.fake / "a project"
        shutil.copytree(ROOT / "scripts", self.project / "scripts")
        (self.project / "build").mkdir()
        for path, text in (
            ("dpkg-query", "#!/bin/sh\nprintf installed\n"),
            ("apt-get", '#!/bin/sh\necho apt-get >>"$FAKE/calls"\n'),
            ("cmake", "#!/bin/sh\n"),
            ("ninja", "#!/bin/sh\n"),
            ("a project/build/minnow", MINNOW),
        ):
            (self.fake / path).write_text(text)
            (self.fake / path).chmod(0o755)

    def run_it(self, script="quickstart", *arguments, fail=""):
        environment = dict(os.environ, FAKE=str(self.fake), FAIL=fail, PATH=f"{self.fake}:{os.environ['PATH']}")
        return subprocess.run(
            [self.project / "scripts" / script, *arguments], cwd=self.fake, env=environment, capture_output=True, text=True
        )

    def calls(self):
        return (self.fake / "calls").read_text().splitlines()

    def test_trains_plots_and_samples_from_any_directory(self):
        result = self.run_it()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(
            self.calls(),
            [
                f"{self.project}: train configs/quickstart.toml --run runs/quickstart",
                f"{self.project}: plot runs/quickstart",
                f"{self.project}: sample runs/quickstart --count 3 --temperature 0.6 --max-tokens 300",
            ],
        )
        self.assertIn(f"Next (in {self.project})", result.stderr)

    def test_again_makes_a_new_run(self):
        for _ in range(3):
            self.assertEqual(self.run_it().returncode, 0)
        self.assertIn("--run runs/quickstart-3", self.calls()[-3])

    def test_a_failure_ends_it(self):
        result = self.run_it(fail="train")
        self.assertEqual(result.returncode, 6)
        self.assertEqual(len(self.calls()), 1)

    def test_wrong_use(self):
        self.assertEqual(self.run_it("quickstart", "--fast").returncode, 2)
        self.assertEqual(self.run_it("quickstart", "--help").returncode, 0)
        self.assertEqual(self.run_it("test", "--quick").returncode, 2)
        self.assertEqual(self.run_it("test", "--sanitize", "memory").returncode, 2)
        self.assertEqual(self.run_it("test", "--sanitize").returncode, 2)


if __name__ == "__main__":
    unittest.main()
