#include "cli/help_layout.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "cli/called_name.hpp"
#include "cli/terminal.hpp"

namespace minnow::cli {
namespace {

constexpr int kOptionColumns = 32;  // what stands left of an option's text
constexpr int kNarrowestText = 24;  // below, a text of an option is left to the terminal to break

class Layout final : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option* option) const override {
    const std::string text = CLI::Formatter::make_option_desc(option);
    const int room = reading_width(STDOUT_FILENO) - kOptionColumns;
    return room < kNarrowestText ? text : wrapped(text, room);
  }
  std::string make_footer(const CLI::App* app) const override {
    return as_called(wrapped(CLI::Formatter::make_footer(app), reading_width(STDOUT_FILENO)));
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_layout() {
  auto layout = std::make_shared<Layout>();
  layout->column_width(kOptionColumns);
  return layout;
}

std::string set_help(const CLI::App& app, const std::string& parent, bool commands) {
  return app.help(parent, commands ? CLI::AppFormatMode::All : CLI::AppFormatMode::Normal);
}

}  // namespace minnow::cli
