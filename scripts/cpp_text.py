"""What the checks share: the project's C++ files, and a C++ text with its comments and literals blanked."""

import pathlib
import re
import sys

SUFFIXES = {".cpp", ".hpp", ".h", ".inl"}

_TOKEN = re.compile(
    r"""
    (?P<line>//[^\n]*(?:\\\n[^\n]*)*)
  | (?P<block>/\*.*?\*/)
  | (?P<raw>(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")
  | (?P<string>"(?:\\.|[^"\\\n])*")
  | (?P<number>\b\d(?:'?[\w.])*)
  | (?P<char>'(?:\\.|[^'\\\n])+')
    """,
    re.VERBOSE | re.DOTALL,
)


def blank(text, keep_strings=False):
    """Replaces comments, and literals unless kept, by blanks; every line and column stays where it was."""

    def empty(match):
        if match.lastgroup == "number" or keep_strings and match.lastgroup not in ("line", "block"):
            return match.group()
        body = match.group()
        if match.lastgroup in ("line", "block"):
            return re.sub(r"[^\n]", " ", body)
        return body[0] + re.sub(r"[^\n]", " ", body[1:-1]) + body[-1]

    return _TOKEN.sub(empty, text)


def files(root, *folders):
    """The C++ files below these folders, in a fixed order."""
    found = []
    for folder in folders:
        found += [path for path in (root / folder).rglob("*") if path.suffix in SUFFIXES]
    return sorted(found)


def root_from_arguments():
    """The folder to check: the only argument, or the project itself."""
    return pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()


def line_of(text, position):
    return text.count("\n", 0, position) + 1
