"""The pages of `minnow report` and `minnow compare` in a real browser: drawn, quiet, zoomed, within a phone's width."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from browser import BROWSER, FLAGS, MISSING, act, browse

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("MINNOW_BINARY", str(ROOT / "build" / "minnow"))

HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">&amp;'\"\x00\x1b[31m\xff"

# What a person would do, as events; the answers go to an attribute that --dump-dom shows.
ACTIONS = """
const answers = {}, chart = minnow.charts[0], graph = chart.graph;
const range = () => minnow.charts.map(c => c.graph ? c.graph.xAxisRange() : null);
const width = r => r[1] - r[0];
answers.title = document.title;
answers.charts = minnow.charts.length;
answers.pageWidth = document.documentElement.scrollWidth;
answers.innerWidth = innerWidth;
const full = range();
const canvas = chart.plot.querySelectorAll('canvas')[1], box = canvas.getBoundingClientRect();
const mouse = (type, part, target) => target.dispatchEvent(new MouseEvent(type, {bubbles: true, cancelable: true,
    view: window, button: 0, detail: 1, clientX: box.left + 60 + part * (box.width - 70), clientY: box.top + 80}));
mouse('mousedown', 0.25, canvas); mouse('mousemove', 0.3, document); mouse('mousemove', 0.75, document);
mouse('mouseup', 0.75, document);
answers.dragged = range().map((r, i) => width(r) / width(full[i]));
const key = (name) => chart.plot.dispatchEvent(new KeyboardEvent('keydown', {key: name, bubbles: true, cancelable: true}));
key('0');
answers.reset = range().map((r, i) => width(r) / width(full[i]));
key('+');
answers.keyed = range().map((r, i) => width(r) / width(full[i]));
const before = range()[0][0];
key('ArrowRight');
answers.moved = range()[0][0] - before;
document.querySelector('#bar button').click();
answers.whole = range().map((r, i) => width(r) / width(full[i]));
const smoothing = document.getElementById('smoothing');
const raw = chart.graph.getValue(50, 2);
smoothing.value = 90; smoothing.dispatchEvent(new Event('input'));
answers.smoothed = Math.abs(chart.graph.getValue(50, 2) - raw) > 0 && chart.graph.getValue(50, 1) === raw;
const log = document.getElementById('log');
log.click();
answers.log = graph.getOption('logscale');
document.querySelector('input[value=tokens]').click();
answers.tokens = graph.xAxisExtremes()[1];
document.querySelector('input[value=seconds]').click();
answers.seconds = graph.xAxisExtremes()[1];
const hide = chart.buttons[0].button;
hide.click();
answers.hidden = graph.visibility()[1] === false && hide.getAttribute('aria-pressed') === 'false';
const slider = document.getElementById('sample');
if (slider) { slider.value = 0; slider.dispatchEvent(new Event('input')); }
answers.samples = [...document.querySelectorAll('#samples details')].filter(d => !d.hidden).map(d => d.textContent);
document.documentElement.dataset.answers = JSON.stringify(answers);
"""


def metrics(count, scale=1.0):
    lines = []
    for i in range(1, count + 1):
        line = {"step": 10 * i, "tokens": 7680 * i, "loss": scale * (1 + 3 / i) + 0.01 * (i % 7), "lr": 1e-3 * i / count,
                "grad_norm": 1 + 1 / i, "tokens_per_s": 9000 + i, "seconds": 1.5 * i}
        if i % 10 == 0:
            line["val_loss"] = line["loss"] + 0.05
        lines.append(json.dumps(line))
    return "\n".join(lines) + "\n"


@unittest.skipUnless(BROWSER, MISSING)
class ReportPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)

    def run_folder(self, name, log, samples="", config=None):
        run = self.folder / name
        run.mkdir(exist_ok=True)
        (run / "metrics.jsonl").write_text(log)
        body = "".join(f"=== step {10 * i + 10}, {len(text.encode())} bytes ===\n{text}\n" for i, text in enumerate(samples))
        (run / "samples.txt").write_text(body)
        if config:
            (run / "config.toml").write_text(config)
        return run

    def minnow(self, *arguments):
        done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def act(self, page, width=1200):
        answers, console = act(page, ACTIONS, width)
        self.assertEqual(console, [])
        return answers

    def check_drawn(self, page, charts):
        dom, console = browse(page)
        self.assertEqual(console, [])
        self.assertIn(f'data-drawn="{charts}"', dom)
        return dom

    def test_report_is_drawn_and_answers(self):
        run = self.run_folder("plain", metrics(100), samples=["first words", "second words", "third words"])
        self.minnow("report", run)
        page = run / "report.html"
        self.check_drawn(page, 4)
        self.assertNotRegex(page.read_text(), r"(?:src|href)=\"(?!data:)|@import|url\(")
        answers = self.act(page)
        self.assertEqual(answers["charts"], 4)
        for part in answers["dragged"]:  # every chart shows the half that was dragged over in the first
            self.assertAlmostEqual(part, 0.5, delta=0.05)
        for name in ("reset", "whole"):
            for part in answers[name]:
                self.assertAlmostEqual(part, 1, delta=0.02, msg=name)
        for part in answers["keyed"]:
            self.assertAlmostEqual(part, 0.5, delta=0.02)
        self.assertGreater(answers["moved"], 0)
        self.assertTrue(answers["smoothed"])
        self.assertTrue(answers["log"])
        self.assertAlmostEqual(answers["tokens"], 768000, delta=8000)
        self.assertAlmostEqual(answers["seconds"], 150, delta=2)
        self.assertTrue(answers["hidden"])
        self.assertEqual(answers["samples"], ["step 10first words"])

    def test_fits_a_phone(self):
        run = self.run_folder("phone " + "long_name_" * 12, metrics(60), samples=["x" * 300, "two"])
        self.minnow("report", run)
        self.minnow("compare", run, run, "--out", self.folder / "phone.html")
        for page in (run / "report.html", self.folder / "phone.html"):
            answers = self.act(page, width=360)
            self.assertEqual(answers["innerWidth"], 360)
            self.assertLessEqual(answers["pageWidth"], 360)

    def test_comparison_is_drawn(self):
        runs = [self.run_folder("a", metrics(100)), self.run_folder("b", metrics(70, 2))]
        self.minnow("compare", *runs, "--out", self.folder / "both.html")
        self.check_drawn(self.folder / "both.html", 5)
        self.assertEqual(self.act(self.folder / "both.html")["charts"], 5)

    def test_hostile_texts_stay_texts(self):
        config = '[data]\npath = "' + HOSTILE.replace("\\", "").replace('"', '\\"').replace("\x00", "").replace("\x1b", "") + '"\n'
        run = self.run_folder("hostile <b>&'", metrics(30), samples=[HOSTILE, HOSTILE], config=config)
        self.minnow("report", run)
        text = (run / "report.html").read_text()
        self.assertEqual(text.count("<script"), 3)
        self.assertNotIn("<img", text)
        dom = self.check_drawn(run / "report.html", 4)
        self.assertIn("<title>hostile &lt;b&gt;&amp;' - minnow</title>", dom)
        self.assertNotIn("owned</title>", dom)
        self.assertIn("hostile &lt;b&gt;&amp;'</h1>", dom)

    def test_odd_logs_are_drawn(self):
        odd = '{"step": 1, "loss": null, "grad_norm": null}\nnonsense\n{"step": 2, "loss": 2.5}\n{"step": 3, "loss": null}\n'
        logs = {
            "empty": ("", 0),
            "single": ('{"step": 5, "tokens": 10, "loss": 2.5, "lr": 0.1, "seconds": 1}\n', 2),
            "torn": ('{"step": 5, "loss": 2.5}\n{"step": 6, "loss": 2.25}\n{"step": 7, "lo', 1),
            "odd": (odd, 1),
            "only null": ('{"step": 1, "loss": null}\n', 0),
            "huge": ('{"step": 0, "loss": 1e300}\n{"step": 9007199254740993, "loss": -1e300}\n', 1),
        }
        for name, (log, charts) in logs.items():
            with self.subTest(name):
                run = self.run_folder(name, log)
                self.minnow("report", run)
                self.check_drawn(run / "report.html", charts)

    def test_both_colour_schemes_are_painted(self):
        run = self.run_folder("colours", metrics(50))
        self.minnow("report", run)
        sizes = set()
        for scheme in (0, 1):  # dark, light
            picture = self.folder / f"{scheme}.png"
            subprocess.run([BROWSER, *FLAGS, f"--blink-settings=preferredColorScheme={scheme}", "--window-size=800,900",
                            f"--user-data-dir={tempfile.mkdtemp(dir=self.folder)}", f"--screenshot={picture}",
                            (run / "report.html").as_uri()], capture_output=True, timeout=120, check=True)
            sizes.add(picture.read_bytes())
        self.assertEqual(len(sizes), 2)


if __name__ == "__main__":
    unittest.main()
