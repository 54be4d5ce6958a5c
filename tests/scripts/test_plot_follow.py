"""`minnow plot --follow` on a pseudo-terminal: draws what is logged, fills the window, follows both, leaves cleanly."""

import fcntl
import os
import pathlib
import pty
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("MINNOW_BINARY", str(ROOT / "build" / "minnow"))
LEAVE = b"\x1b[?1049l"


class PlotFollow(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.run = pathlib.Path(folder.name) / "r"
        self.run.mkdir()
        self.log = self.run / "metrics.jsonl"
        self.screen, self.terminal = pty.openpty()
        self.addCleanup(os.close, self.screen)
        self.addCleanup(os.close, self.terminal)
        self.seen = b""

    def resize(self, rows, columns):
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def start(self, locale="C.UTF-8"):
        environment = dict(os.environ, LC_ALL=locale, TERM="xterm", NO_COLOR="1")
        self.process = subprocess.Popen([BINARY, "plot", str(self.run), "--follow"], stdin=self.terminal,
                                        stdout=self.terminal, stderr=self.terminal, env=environment)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)

    def until(self, wanted, seconds=20):
        """What the terminal got up to and with `wanted`."""
        end = time.monotonic() + seconds
        while wanted not in self.seen and time.monotonic() < end:
            if select.select([self.screen], [], [], 0.2)[0]:
                self.seen += os.read(self.screen, 65536)
        self.assertIn(wanted, self.seen)
        at = self.seen.index(wanted) + len(wanted)
        got, self.seen = self.seen[:at], self.seen[at:]
        return got.decode()

    def append(self, step, loss):
        with self.log.open("a") as log:
            log.write(f'{{"step": {step}, "loss": {loss}}}\n')

    def test_follows_log_and_window(self):
        self.resize(20, 60)
        self.start()
        self.until(b"Waiting for the first loss")
        self.append(1, 4.0)
        self.append(2, 3.0)
        frame = self.until(b"loss 3.0000\x1b[K\x1b[J")
        self.assertEqual(frame.count("\r\n"), 19)  # fills the twenty rows
        self.append(3, 2.5)
        self.until(b"step 3, loss 2.5000")
        self.until(b"\x1b[J")
        self.resize(10, 40)
        os.kill(self.process.pid, signal.SIGWINCH)
        frame = self.until(b"\x1b[J")
        self.assertEqual(frame.count("\r\n"), 9)
        self.assertLessEqual(max(len(line) for line in frame.replace("\x1b[H", "").replace("\x1b[K", "").split("\r\n")), 40 + 3)
        self.assertTrue(any("\u2800" <= c <= "\u28ff" for c in frame), "braille")
        self.process.send_signal(signal.SIGINT)
        self.until(LEAVE)
        self.assertEqual(self.process.wait(10), 130)

    def test_ascii_without_utf8(self):
        self.append(1, 4.0)
        self.append(2, 3.0)
        self.resize(20, 60)
        self.start(locale="C")
        frame = self.until(b"\x1b[J")
        self.assertTrue(frame.isascii())
        self.process.send_signal(signal.SIGTERM)
        self.until(LEAVE)
        self.assertEqual(self.process.wait(10), 143)


if __name__ == "__main__":
    unittest.main()
