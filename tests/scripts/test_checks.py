"""The checks find what is planted and stay silent about what is allowed."""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True

import check_layers  # noqa: E402
import check_sizes  # noqa: E402
import cpp_text  # noqa: E402


class Planted(unittest.TestCase):
    """A small project in a temporary folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def plant(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


class Layers(Planted):
    def findings(self, path, text):
        self.plant(path, text)
        return check_layers.check(self.root)

    def test_left_is_allowed(self):
        self.assertEqual(self.findings("src/ops/a.cpp", '#include "minnow/tensor/tensor.hpp"\n#include "ops/b.hpp"\n'), [])
        self.assertEqual(self.findings("src/train/a.cpp", '#include "minnow/gen/sample.hpp"\n#include "minnow/io/x.hpp"\n'), [])
        self.assertEqual(self.findings("src/data/a.cpp", '#include "minnow/text/tokenizer.hpp"\n'), [])

    def test_right_is_not(self):
        (finding,) = self.findings("src/tensor/a.cpp", '#include <vector>\n\n#include "minnow/ops/softmax.hpp"\n')
        self.assertTrue(finding.startswith("src/tensor/a.cpp:3: layer tensor may not include"), finding)

    def test_branches_keep_to_their_ground(self):
        self.assertEqual(len(self.findings("src/optim/a.cpp", '#include "minnow/autograd/tape.hpp"\n')), 1)
        self.assertEqual(len(self.findings("src/optim/a.cpp", '#include "minnow/io/file.hpp"\n')), 1)
        self.assertEqual(len(self.findings("src/optim/a.cpp", '#include "minnow/config/config.hpp"\n')), 1)
        self.assertEqual(len(self.findings("src/optim/a.cpp", '#include "minnow/tensor/tensor.hpp"\n')), 0)

    def test_private_includes_count_too(self):
        self.assertEqual(len(self.findings("src/base/a.hpp", '  #  include "kernels/gemm.hpp"\n')), 1)

    def test_comments_do_not_count(self):
        self.assertEqual(self.findings("src/base/a.cpp", '// #include "minnow/cli/x.hpp"\n/*\n#include "cli/x.hpp"\n*/\n'), [])

    def test_unknown_layer(self):
        (finding,) = self.findings("src/utils/a.cpp", "int a;\n")
        self.assertIn("utils is no layer", finding)

    def test_intrinsics_belong_to_kernels(self):
        text = "#include <immintrin.h>\n__m256 f(__m256 a) { return _mm256_add_ps(a, a); }\n"
        self.assertEqual(self.findings("src/kernels/a.cpp", text), [])
        self.plant("src/kernels/a.cpp", "")
        self.assertEqual(len(self.findings("src/ops/a.cpp", text)), 4)
        self.assertEqual(len(self.findings("src/ops/a.cpp", "#include <hwy/highway.h>\n")), 1)

    def test_heavy_headers_stay_out_of_the_public_ones(self):
        for header in ("CLI/CLI.hpp", "spdlog/spdlog.h", "nlohmann/json.hpp", "toml++/toml.h"):
            self.assertEqual(len(self.findings("include/minnow/cli/a.hpp", f"#include <{header}>\n")), 1, header)
        self.plant("include/minnow/cli/a.hpp", "")
        self.assertEqual(self.findings("src/cli/a.cpp", "#include <CLI/CLI.hpp>\n"), [])

    def test_the_library_neither_prints_nor_ends(self):
        for line in ("std::cout << 1;", 'printf("x");', "std::exit(1);", "abort();", 'std::fprintf(stderr, "x");', 'fmt::print("x");'):
            self.assertEqual(len(self.findings("src/train/a.cpp", f"void f() {{ {line} }}\n")), 1, line)
        for line in ("snprintf(b, n, f);", 'auto s = "printf(";', "guard.exit();", "on_exit(f);", "// exit(1);", "Pool::exit();"):
            self.assertEqual(self.findings("src/train/a.cpp", f"void f() {{ {line} }}\n"), [], line)
        self.plant("src/train/a.cpp", "")
        self.assertEqual(self.findings("src/cli/a.cpp", "void f() { std::exit(1); }\n"), [])


def body(lines):
    return "  int x;\n" * (lines - 2)


class Sizes(Planted):
    def verdict(self, path, text):
        self.plant(path, text)
        warnings, errors = check_sizes.check(self.root)
        return len(warnings), len(errors)

    def test_functions(self):
        for lines, expected in ((40, (0, 0)), (41, (1, 0)), (100, (1, 0)), (101, (0, 1))):
            self.assertEqual(self.verdict("src/ops/a.cpp", f"void f() {{\n{body(lines)}}}\n"), expected, lines)

    def test_kernels_may_have_eighty_lines(self):
        for lines, expected in ((80, (0, 0)), (81, (1, 0)), (101, (0, 1))):
            self.assertEqual(self.verdict("src/kernels/a.cpp", f"void f() {{\n{body(lines)}}}\n"), expected, lines)

    def test_files(self):
        for lines, expected in ((400, (0, 0)), (401, (1, 0)), (601, (0, 1))):
            self.assertEqual(self.verdict("src/ops/a.cpp", "int x;\n" * lines), expected, lines)

    def names(self, text):
        return [(name, length) for name, _, length in check_sizes.functions(text)]

    def test_finds_functions_in_every_scope(self):
        text = """
namespace a::b {
namespace {
struct S : Base<int> {
  S(int x) noexcept : x_{x}, y_(x) {
    go();
  }
  bool operator==(const S&) const { return true; }
  int operator()(int a) const
  {
    return a;
  }
  int x_ = 0, y_{1};
};
enum class E { kA, kB };
template <class T>
  requires std::integral<T>
auto sum(std::span<const T> v) -> T {
  const auto add = [&](T a) {
    return a + v[0];
  };
  return add(1);
}
constexpr int kTable[] = {1, 2, 3};
}  // namespace
}
TEST(Suite, Name) {
}
"""
        expected = [("S", 3), ("operator==", 1), ("operator()", 4), ("sum", 8), ("TEST(Suite, Name)", 2)]
        self.assertEqual(self.names(text), expected)

    def test_braces_in_literals_and_comments_do_not_confuse(self):
        text = 'void f() {\n  auto a = "{{{"; char b = \'{\'; // {\n  auto c = R"x(\n}}}\n)x"; /* { */\n  int d = 1\'000;\n}\nvoid g() {}\n'
        self.assertEqual(self.names(text), [("f", 7), ("g", 1)])


class Text(unittest.TestCase):
    def test_blank_keeps_places(self):
        text = 'int a; // b\n"c\\"d" /* e\nf */ g\n'
        blanked = cpp_text.blank(text)
        self.assertEqual(len(blanked), len(text))
        self.assertEqual(blanked.count("\n"), text.count("\n"))
        self.assertEqual(blanked.split(), ["int", "a;", '"', '"', "g"])


class Project(unittest.TestCase):
    def test_layers_are_clean(self):
        self.assertEqual(check_layers.check(ROOT), [])

    def test_sizes_are_within_the_limits(self):
        self.assertEqual(check_sizes.check(ROOT)[1], [])


if __name__ == "__main__":
    unittest.main()
