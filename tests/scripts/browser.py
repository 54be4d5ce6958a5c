"""A page in Chromium without a window: what it shows, what it says on the console, and what it answers to events."""

import json
import re
import shutil
import subprocess
import tempfile

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
MISSING = "no Chromium here: apt-get install chromium, then the pages are looked at in it"
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars --enable-logging=stderr --virtual-time-budget=5000"
).split()


def browse(page, width=1200):
    """The page's DOM once its scripts have run, and the lines that it wrote to the console."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        done = subprocess.run([BROWSER, *FLAGS, f"--window-size={width},900", f"--user-data-dir={profile}", "--dump-dom",
                               page.as_uri()], capture_output=True, timeout=120, check=False, text=True)
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def act(page, actions, width=1200):
    """What `actions` put into document.documentElement.dataset.answers as JSON, and the lines of the console.

    They run in a copy of the page without its policy, which allows no script of ours.
    """
    text = re.sub(r"<meta http-equiv=\"Content-Security-Policy\"[^>]*>", "", page.read_text())
    copy = page.with_name("acting-" + page.name)
    text = text.replace("</body>", f"<script>{{{actions}}}</script></body>")
    if width < 500:  # Chromium's narrowest window: a frame may be narrower
        inner = json.dumps(text).replace("<", "\\u003c")
        text = ("<!DOCTYPE html><body><script>const frame = document.createElement('iframe');"
                f"frame.width = {width}; frame.height = 800; frame.style.border = 0; frame.srcdoc = {inner};"
                "frame.onload = () => { document.documentElement.dataset.answers ="
                " frame.contentDocument.documentElement.dataset.answers; };"
                "document.body.append(frame);</script></body>")
    copy.write_text(text)
    dom, console = browse(copy, width)
    found = re.search(r'data-answers="([^"]*)"', dom)
    if not found:
        raise AssertionError("the page answered nothing: " + dom[:2000])
    plain = found[1].replace("&quot;", '"').replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return json.loads(plain), console
