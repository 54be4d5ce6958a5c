#!/usr/bin/env python3
"""Warns about files over 400 lines and functions over 40 (kernels 80); fails at 600 and 100.

usage: check_sizes.py [ROOT]    warnings and errors as FILE:LINE: what; exit code 1 when there is an error

A function counts from the line on which its declaration begins to its closing brace.
"""

import re
import sys

import cpp_text

FILE_WARN, FILE_FAIL = 400, 600
FUNCTION_WARN, KERNEL_WARN, FUNCTION_FAIL = 40, 80, 100

_PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE)
_TYPE = re.compile(r"\b(?:class|struct|union|enum)\b(?![^;{]*\)\s*(?:const|noexcept|override|final|->|$))")
_NAME = re.compile(r"(operator\s*(?:\(\s*\)|[^\s(]+)|~?[A-Za-z_][\w:~]*)\s*\(")
_INITIALISERS = re.compile(r"\)\s*(?:noexcept(?:\s*\([^()]*\))?\s*)?:(?!:)")


def kind_of(head):
    """What a brace opens, judged from the text between it and the previous statement: scope, function or values."""
    head = head.strip()
    if re.match(r"(?:inline\s+)?namespace\b|extern\s*\"", head) or not head:
        return "scope"
    if re.search(r"(?:=|\breturn|,|\()\s*$", head):
        return "values"
    parameters = head.find("(")
    if _INITIALISERS.search(head) and not head.endswith(")") and not head.endswith("}"):
        return "values"  # member_{...} of a constructor's list
    if _TYPE.search(re.sub(r"^template\s*<.*?>\s*(?=class|struct|union|enum)", "", head, flags=re.DOTALL)) and (
        parameters < 0 or not re.search(r"\)\s*(?:\w+\s*)*$", head) or re.match(r"(?:template\b.*)?(?:class|struct)\s+alignas", head)
    ):
        return "scope"
    return "function" if parameters >= 0 else "values"


def name_of(head):
    match = _NAME.search(re.sub(r"\b(?:alignas|decltype|noexcept|requires|__attribute__|HWY_ATTR)\s*\(+[^()]*\)+", " ", head))
    if not match:
        return "(unnamed)"
    name = match.group(1)
    if re.fullmatch(r"[A-Z][A-Z_]{3,}", name):  # TEST(Suite, Name): the arguments say which
        arguments = re.match(r"\s*([^()]*)\)", head[head.find("(") + 1 :])
        return f"{name}({' '.join(arguments.group(1).split())})" if arguments else name
    return name


def closing_brace(code, opening):
    depth = 0
    for match in re.compile(r"[{}]").finditer(code, opening):
        depth += 1 if match.group() == "{" else -1
        if depth == 0:
            return match.start()
    return len(code)


def functions(text):
    """(name, first line, number of lines) of every function that is defined in `text`."""
    code = _PREPROCESSOR.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), cpp_text.blank(text))
    code = re.sub(r"\b(?:public|private|protected)\s*:(?!:)", lambda match: " " * len(match.group()), code)
    start = position = 0
    mark = re.compile(r"[{};]")
    while match := mark.search(code, position):
        position = match.end()
        if match.group() != "{":
            start = position
            continue
        head = code[start : match.start()]
        kind = kind_of(head)
        if kind == "scope":
            start = position
            continue
        position = closing_brace(code, match.start()) + 1
        if kind == "function":
            first = start + len(head) - len(head.lstrip())
            yield name_of(head), cpp_text.line_of(code, first), code.count("\n", first, position) + 1
            start = position


def check_file(path, text):
    """(is error, line, what) for everything too long in one file."""
    lines = text.count("\n")
    if lines > FILE_WARN:
        yield lines > FILE_FAIL, 1, f"file has {lines} lines, aim at {FILE_WARN}, limit {FILE_FAIL}"
    warn = KERNEL_WARN if "kernels" in path.parts else FUNCTION_WARN
    for name, line, length in functions(text):
        if length > warn:
            yield length > FUNCTION_FAIL, line, f"{name} has {length} lines, aim at {warn}, limit {FUNCTION_FAIL}"


def check(root):
    """(warnings, errors) below `root`, as lines of text."""
    found = ([], [])
    for file in cpp_text.files(root, "src", "include", "tests"):
        path = file.relative_to(root)
        for is_error, line, what in check_file(path, file.read_text(encoding="utf-8")):
            found[is_error].append(f"{path}:{line}: {'error' if is_error else 'warning'}: {what}")
    return found


def main():
    warnings, errors = check(cpp_text.root_from_arguments())
    print("\n".join(warnings + errors + [f"sizes: {len(errors)} errors, {len(warnings)} warnings"]))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
