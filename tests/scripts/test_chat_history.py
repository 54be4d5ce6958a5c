"""`minnow chat` on a pseudo-terminal: a later chat finds the lines of an earlier one, unless it is told not to."""

import os
import pathlib
import pty
import select
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("MINNOW_BINARY", str(ROOT / "build" / "minnow"))
UP = b"\x1b[A"
WAITS = b"\x1b[?2004h"  # said once for every line that the chat waits for


class ChatHistory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = pathlib.Path(cls.folder.name)
        (cls.root / "text.txt").write_text("the cat sat on the mat. " * 40)
        settings = ["data.path=text.txt", "train.max_steps=2", "train.batch_size=2", "model.n_layer=1", "model.n_embd=16",
                    "model.n_head=2", "model.block_size=16", "tokenizer.unknown=\"replace\""]
        (cls.root / "c.toml").write_text("task = \"lm\"\n[data]\npath = \"text.txt\"\n")
        subprocess.run([BINARY, "train", "c.toml", "--run", "r", "--quiet", *(w for s in settings for w in ("--set", s))],
                       cwd=cls.root, check=True, timeout=120)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.state = pathlib.Path(folder.name) / "state"
        self.file = self.state / "minnow" / "chat_history"

    def chat(self, lines, *options):
        """What the terminal got while these lines, keys of any kind, were entered one after the other."""
        screen, terminal = pty.openpty()
        environment = dict(os.environ, TERM="xterm", NO_COLOR="1", LC_ALL="C.UTF-8", XDG_STATE_HOME=str(self.state))
        process = subprocess.Popen([BINARY, "chat", "r", "--max-tokens", "3", *options], cwd=self.root, env=environment,
                                   stdin=terminal, stdout=terminal, stderr=terminal)
        os.close(terminal)
        try:
            seen = b""
            for number, line in enumerate([*lines, b"/quit"], start=1):
                while seen.count(WAITS) < number:
                    seen += self.some(screen)
                os.write(screen, line + b"\r")
            self.assertEqual(process.wait(60), 0)
            return seen
        finally:
            process.kill()
            process.wait()
            os.close(screen)

    def some(self, screen):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if select.select([screen], [], [], 0.2)[0]:
                return os.read(screen, 65536)
        raise AssertionError("the chat said nothing for a minute")

    def test_a_later_chat_finds_earlier_lines(self):
        self.chat([b"the cat", b"on the mat"])
        self.assertEqual(self.file.read_text(), "the cat\non the mat\n")
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o600)
        self.chat([UP + UP])
        self.assertEqual(self.file.read_text(), "the cat\non the mat\nthe cat\n")

    def test_can_be_turned_off(self):
        self.chat([b"kept", b"/set history off", b"not kept"])
        self.assertEqual(self.file.read_text(), "kept\n/set history off\n")
        self.assertNotIn(b"> kept", self.chat([UP + b"x"], "--no-history"))
        self.assertEqual(self.file.read_text(), "kept\n/set history off\n")

    def test_hinders_no_chat(self):
        self.file.parent.parent.mkdir()
        self.file.parent.write_text("a file where the directory belongs")
        seen = self.chat([b"the cat", b"the mat"])
        self.assertEqual(seen.count(b"its lines are not kept"), 1)


if __name__ == "__main__":
    unittest.main()
