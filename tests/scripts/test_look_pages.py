"""The pages of `minnow attention` and `minnow walk` in a real browser: drawn, quiet, answering, within a phone's width."""

import os
import pathlib
import subprocess
import tempfile
import unittest

from browser import BROWSER, MISSING, act, browse

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("MINNOW_BINARY", str(ROOT / "build" / "minnow"))

CONFIG = """
[model]
family = "llama"
n_layer = 2
n_head = 4
n_kv_head = 2
n_embd = 32
block_size = 24
[data]
path = "text.txt"
[train]
max_steps = 2
batch_size = 2
"""
TEXT = "the <b>fox</b> & \"it\" </script> is quick\n" * 40
READ = "<b>fox</b></script>\n&"

KEY = """
const key = (target, name) => target.dispatchEvent(
    new KeyboardEvent('keydown', {key: name, bubbles: true, cancelable: true}));
const answers = {drawn: document.body.dataset.drawn, pageWidth: document.documentElement.scrollWidth, innerWidth};
"""
ATTENTION = KEY + """
const map = document.getElementById('map'), say = document.getElementById('say'), name = document.getElementById('name');
const pick = (what, value) => document.querySelector(`input[name=${what}][value="${value}"]`).click();
answers.first = name.textContent;
key(map, 'Home');
answers.home = say.textContent;
key(map, 'ArrowRight');
answers.right = say.textContent;
key(map, 'ArrowUp'); key(map, 'End');
answers.end = say.textContent;
for (let i = 0; i < 30; ++i) key(map, 'ArrowUp');
key(map, 'Home');
answers.corner = say.textContent;
key(map, 'ArrowRight');
answers.future = say.textContent;
pick('layer', 1); pick('head', 3);
answers.chosen = name.textContent;
answers.pressed = [...document.querySelectorAll('#all [aria-pressed=true]')].map(b => b.getAttribute('aria-label'));
document.querySelectorAll('#all button')[2].click();
answers.thumb = name.textContent;
answers.maps = document.querySelectorAll('#all button').length;
const box = map.getBoundingClientRect();
map.dispatchEvent(new PointerEvent('pointermove', {bubbles: true, clientX: box.right - 6, clientY: box.bottom - 6}));
answers.pointed = say.textContent;
document.documentElement.dataset.answers = JSON.stringify(answers);
"""
WALK = KEY + """
const shown = () => [...document.querySelectorAll('.step')].filter(s => getComputedStyle(s).display !== 'none').map(s => s.id);
answers.first = shown();
key(document.body, 'ArrowRight'); key(document.body, 'PageDown');
answers.third = shown();
key(document.body, 'ArrowLeft');
answers.back = shown();
key(document.body, 'End');
answers.end = shown();
document.getElementById('before').click();
answers.before = shown();
answers.steps = document.querySelectorAll('.step').length;
const parts = document.getElementById('parts');
answers.parts = [...parts.options].map(o => o.text);
parts.value = parts.options[3].value; parts.dispatchEvent(new Event('change'));
answers.part = document.querySelector('.now').dataset.part;
document.documentElement.dataset.answers = JSON.stringify(answers);
"""


@unittest.skipUnless(BROWSER, MISSING)
class LookPages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        (cls.folder / "run.toml").write_text(CONFIG)
        (cls.folder / "text.txt").write_text(TEXT)
        cls.minnow("train", "run.toml", "--run", "r")

    @classmethod
    def minnow(cls, *arguments):
        subprocess.run([BINARY, *arguments], cwd=cls.folder, capture_output=True, timeout=120, check=True)

    def act(self, page, actions, width):
        answers, console = act(page, actions, width)
        self.assertEqual(console, [])
        return answers

    def page(self, name, *arguments):
        self.minnow(*arguments, "--text", READ, "--out", name)
        page = self.folder / name
        text = page.read_text()
        self.assertNotRegex(text, r"(?:src|href)=\"(?!data:)|@import|url\(")
        self.assertNotIn("<b>fox", text)
        shown, console = browse(page)  # under its own policy
        self.assertIn('data-drawn="yes"', shown)
        self.assertEqual(console, [])
        return page

    def test_attention(self):
        page = self.page("attention.html", "attention", "r")
        for width in (1200, 360):
            with self.subTest(width):
                answers = self.act(page, ATTENTION, width)
                self.assertLessEqual(answers["pageWidth"], width)
                self.assertEqual(answers["first"], "Mean of all layers and heads")
                last = len(READ) - 1
                self.assertRegex(answers["home"], rf"^0\.\d{{4}}& → <query {last}, key 0, mean of all")
                self.assertRegex(answers["right"], rf"^0\.\d{{4}}& → bquery {last}, key 1, ")
                self.assertRegex(answers["end"], rf"^0\.\d{{4}}↵ → ↵query {last - 1}, key {last - 1}, ")
                self.assertTrue(answers["corner"].startswith("1.0000< → <query 0, key 0"), answers["corner"])
                self.assertTrue(answers["future"].startswith("not seen"), answers["future"])
                self.assertEqual(answers["chosen"], "Layer 1, head 3")
                self.assertEqual(answers["pressed"], ["Layer 1, head 3"])
                self.assertEqual(answers["thumb"], "Layer 0, head 2")
                self.assertEqual(answers["maps"], 2 * 5)
                self.assertIn(f"query {last}, key {last}, layer 0, head 2", answers["pointed"])

    def test_walk(self):
        page = self.page("walk.html", "walk", "r", "--train")
        for width in (1200, 360):
            with self.subTest(width):
                answers = self.act(page, WALK, width)
                self.assertLessEqual(answers["pageWidth"], width)
                last = answers["steps"] - 1
                self.assertEqual(answers["first"], ["s0"])
                self.assertEqual(answers["third"], ["s2"])
                self.assertEqual(answers["back"], ["s1"])
                self.assertEqual(answers["end"], [f"s{last}"])
                self.assertEqual(answers["before"], [f"s{last - 1}"])
                self.assertEqual(answers["parts"][:5], ["start", "text", "embedding", "block 0, attention", "block 0, MLP"])
                self.assertEqual(answers["part"], "block 0, attention")
                self.assertIn("back: head", answers["parts"])


if __name__ == "__main__":
    unittest.main()
