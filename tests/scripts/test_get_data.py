"""scripts/get_data checks what it takes and says what to do, without a network."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class GetData(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "scripts").mkdir()
        for name in ("get_data", "common.sh", "packages.txt"):
            shutil.copy(ROOT / "scripts" / name, self.root / "scripts")

    def run_it(self, *arguments, **environment):
        return subprocess.run(
            [self.root / "scripts/get_data", *arguments], capture_output=True, text=True, cwd=self.root, env=environment or None
        )

    def test_list_names_sets_and_licences(self):
        result = self.run_it("--list")
        self.assertEqual(result.returncode, 0)
        for word in ("tinyshakespeare", "names", "tinystories", "CDLA-Sharing-1.0"):
            self.assertIn(word, result.stdout)

    def test_unknown_name(self):
        result = self.run_it("shakespear")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no set is called 'shakespear'", result.stderr)
        self.assertIn("tinyshakespeare", result.stdout + result.stderr)

    def test_a_pattern_is_no_name(self):
        self.assertEqual(self.run_it(".*").returncode, 2)

    def test_a_wrong_file_is_refused_and_not_kept(self):
        (self.root / "names.txt").write_text("emma\n")
        result = self.run_it("names", "--from", ".")
        self.assertEqual(result.returncode, 1)
        self.assertIn("SHA-256", result.stderr)
        self.assertEqual(list((self.root / "data/fetched").iterdir()), [])

    def test_a_folder_without_the_file(self):
        result = self.run_it("names", "--from", ".")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no names.txt", result.stderr)

    def test_without_a_network_it_says_what_to_do(self):
        nowhere = "http://127.0.0.1:9"
        result = self.run_it("names", PATH="/usr/bin:/bin", https_proxy=nowhere, HTTPS_PROXY=nowhere)
        self.assertEqual(result.returncode, 1)
        self.assertIn("--from FOLDER", result.stderr)


if __name__ == "__main__":
    unittest.main()
