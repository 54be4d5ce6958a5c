// Prints the names of all operations that the installed library has, one a line.

#include <cstdio>
#include <minnow/ops/registry.hpp>

int main() {
  for (const minnow::Op* op : minnow::all_ops()) {
    std::printf("%.*s\n", static_cast<int>(op->doc.name.size()), op->doc.name.data());
  }
}
