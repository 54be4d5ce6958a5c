/// @file
/// `minnow chat`: talks with a trained model, or writes a text together with it.

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "cli/chat_history.hpp"
#include "cli/chat_input.hpp"
#include "cli/chat_session.hpp"
#include "cli/chat_terminal.hpp"
#include "cli/json_line.hpp"
#include "cli/log.hpp"
#include "cli/run_options.hpp"
#include "cli/sampler_options.hpp"
#include "cli/terminal.hpp"
#include "cli/use_threads.hpp"
#include "cli/verb.hpp"
#include "minnow/base/error.hpp"
#include "minnow/config/load.hpp"
#include "minnow/config/nearest.hpp"
#include "minnow/text/utf8.hpp"

namespace minnow::cli {
namespace {

constexpr std::string_view kHelp =
    "  /help            these lines\n"
    "  /set NAME VALUE  change how answers are written; /set alone shows all\n"
    "  /again           write the last answer anew\n"
    "  /reset           forget what was said\n"
    "  /quit            end (Ctrl-D too)\n"
    "Ctrl-C ends an answer. A backslash at the end of a line: it goes on in the next. // at its start: one slash.\n"
    "Keys: arrows (up and down: earlier lines), Home, End, Ctrl-A E B F P N; Ctrl-W U K take away, Ctrl-Y puts back; "
    "Ctrl-L clears the screen.";
constexpr std::string_view kCommands[] = {"help", "set", "again", "reset", "quit"};

struct ChatArguments {
  std::string run;
  std::string checkpoint = "auto", weights = "auto", unknown, log_level = "info";
  std::string user, assistant, stop;
  SamplerWords sampler;
  std::int64_t max_tokens = 200, threads = 0;
  bool json = false, base = false, no_history = false;
};

/// The run's [chat], or what the command line says of it.
Conversation conversation_of(const LoadedRun& run, const ChatArguments& arguments) {
  Config config = run.config;
  if (!arguments.user.empty()) config.chat.user = arguments.user;
  if (!arguments.assistant.empty()) config.chat.assistant = arguments.assistant;
  if (!arguments.stop.empty()) config.chat.stop = arguments.stop;
  if (arguments.base) config.chat = {};
  if (config.data.path.empty())
    config.data.path = run.directory.string();  // a model of others has no data, which is fine
  validate(config);
  return {config.chat, Conversation::kind_of(config), run.tokenizer && has_line_feed(*run.tokenizer)};
}

UnknownCharacter unknown_policy(const LoadedRun& run, const ChatArguments& arguments) {
  if (!arguments.unknown.empty()) {
    return arguments.unknown == "replace" ? UnknownCharacter::kReplace : UnknownCharacter::kError;
  }
  return run.config.tokenizer.unknown == UnknownPolicy::kReplace ? UnknownCharacter::kReplace
                                                                 : UnknownCharacter::kError;
}

std::string_view kind_text(TurnKind kind) {
  switch (kind) {
    case TurnKind::kDialogue:
      return "it answers what you say";
    case TurnKind::kDocument:
      return "it ends the line that you begin";
    case TurnKind::kText:
      return "it goes on with the text that you begin; an empty line lets it write on";
  }
  return "";
}

/// One chat, on a terminal or through pipes.
class Chat {
 public:
  Chat(ChatSession& session, const LoadedRun& run, bool json)
      : session_(session), run_(run), json_(json), on_terminal_(ChatTerminal::usable() && !json) {
    if (!on_terminal_) return;
    terminal_.emplace();
    std::vector<std::string> earlier;
    if (session.settings().history) with_history([&](ChatHistory& history) { earlier = history.read(); });
    if (!earlier.empty()) last_kept_ = earlier.back();
    editor_.emplace(terminal_->device(), std::move(earlier));
  }

  /// @return the exit code.
  int run() {
    std::string line;
    while (!done_ && read(line)) {
      try {
        take(line);
      } catch (const ConfigError& error) {
        refuse(error);
      } catch (const DataError& error) {
        refuse(error);
      }
    }
    constexpr int kSignalBase = 128;  // shells report a death by signal n as 128 + n
    const int ended = ChatTerminal::ended();
    return ended == 0 ? 0 : kSignalBase + ended;
  }

 private:
  /// What a person mistyped is said, and the chat goes on; a script is told by the exit code.
  void refuse(const Error& error) const {
    if (!on_terminal_) throw;
    print_error(error.what());
  }

  /// @return false at the end of the input.
  bool read(std::string& line) {
    line.clear();
    std::string part;
    do {
      if (!read_part(line.empty() ? "> " : ". ", part)) return !line.empty();
      line += part;
    } while (goes_on(line));
    return true;
  }

  bool read_part(std::string_view prompt, std::string& part) {
    if (!on_terminal_) {
      if (is_terminal(STDIN_FILENO)) log_prompt(prompt);
      return read_plain_line(part);
    }
    terminal_->begin_editing();
    LineEnd end = LineEnd::kInterrupted;
    while (end == LineEnd::kInterrupted) {
      end = editor_->read(prompt, part);
      if (end == LineEnd::kInterrupted) print_line(note("Ctrl-D or /quit ends the chat"));
    }
    terminal_->end_editing();
    if (end == LineEnd::kEntered) keep(part);
    return end == LineEnd::kEntered;
  }

  /// For the next chat, which need not begin with how this one ended.
  void keep(const std::string& line) {
    if (!session_.settings().history || line.empty() || line == last_kept_ || is_quit(line)) return;
    with_history([&](ChatHistory& history) { history.add(line); });
    last_kept_ = line;
  }

  /// A history that cannot be read or kept is said once, and hinders no chat.
  template <class Body>
  void with_history(const Body& body) {
    if (!history_) return;
    try {
      body(*history_);
    } catch (const IoError& error) {
      print_warning(fmt::format("{} The chat goes on; its lines are not kept.", printable(error.what())));
      history_.reset();
    }
  }

  static std::optional<ChatHistory> usual_history() {
    const std::filesystem::path path = ChatHistory::usual_path();
    return path.empty() ? std::nullopt : std::optional<ChatHistory>(path);
  }

  static void log_prompt(std::string_view prompt) {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, prompt.data(), prompt.size());
  }

  static bool is_quit(std::string_view line) { return line == "/quit" || line == "/exit"; }

  static std::string note(std::string_view text) {
    return styled(fmt::format("[{}]", text), Style::kDim, use_color(STDERR_FILENO));
  }

  void take(const std::string& line) {
    if (on_terminal_ && says_nothing(line)) return;
    if (says_nothing(line)) throw ConfigError("[chat] a turn must say something; got an empty line");
    if (!line.starts_with('/')) return show(session_.say(line, hooks()));
    if (line.starts_with("//")) return show(session_.say(line.substr(1), hooks()));
    const std::size_t blank = std::min(line.find(' '), line.size());
    obey(std::string_view(line).substr(1, blank - 1), std::string_view(line).substr(blank));
  }

  /// An empty line lets a text go on; a dialogue has nothing to answer then.
  [[nodiscard]] bool says_nothing(const std::string& line) const {
    const bool blank = line.find_first_not_of(" \t\n") == std::string::npos;
    return blank && session_.conversation().kind() == TurnKind::kDialogue;
  }

  void obey(std::string_view command, std::string_view rest) {
    const auto trim = [](std::string_view text) {
      const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
      const std::size_t end = text.find_last_not_of(' ');
      return text.substr(begin, end == std::string_view::npos ? 0 : end + 1 - begin);
    };
    rest = trim(rest);
    if (command == "help") {
      print_line(kHelp);
    } else if (command == "set") {
      if (rest.empty()) return print_line(list_chat_values(session_.settings()));
      const std::size_t end = std::min(rest.find_first_of(" ="), rest.size());
      const std::size_t value = std::min(rest.find_first_not_of(" =", end), rest.size());
      set_chat_value(session_.settings(), rest.substr(0, end), rest.substr(value));
    } else if (command == "again") {
      show(session_.again(hooks()));
    } else if (command == "reset") {
      session_.reset();
      print_line(note("forgotten"));
    } else if (is_quit("/" + std::string(command))) {
      done_ = true;
    } else {
      const std::string_view near = nearest_name(command, kCommands);
      throw ConfigError(fmt::format(
          "[chat] a command must be one of /help, /set, /again, /reset, /quit; got /{}. Hint: {}", printable(command),
          near.empty() ? "// begins a text with a slash" : fmt::format("did you mean /{}?", near)));
    }
  }

  ChatSession::Hooks hooks() {
    last_ = '\n';
    ChatTerminal::forget_interrupt();
    ChatSession::Hooks hooks;
    hooks.interrupted = [] { return ChatTerminal::interrupted() || ChatTerminal::ended() != 0; };
    if (json_) return hooks;
    hooks.show = [this](std::string_view piece) {
      print_result(on_terminal_ ? printable(piece) : std::string(piece));  // a text must not command the terminal
      flush_results();
      last_ = piece.back();
    };
    return hooks;
  }

  void show(const ChatAnswer& made) {
    ++turn_;
    if (json_) {
      print_result(json_line({{"turn", turn_},
                              {"said", replace_invalid_utf8(made.said)},
                              {"text", made.answer.text},
                              {"tokens", made.answer.ids.size()},
                              {"finish", name_of(made.answer.reason)},
                              {"step", run_.step}}));
      return flush_results();
    }
    if (last_ != '\n' || made.answer.text.empty()) print_result("\n");
    flush_results();
    if (on_terminal_) remark(made.answer.reason);
  }

  void remark(FinishReason reason) {
    if (reason == FinishReason::kInterrupted) print_line(note("interrupted"));
    if (reason == FinishReason::kBoundary && session_.conversation().kind() == TurnKind::kText)
      print_line(note("the text has ended; the next line begins another"));
    if (reason != FinishReason::kMaxTokens || told_length_) return;
    told_length_ = true;
    const bool dialogue = session_.conversation().kind() == TurnKind::kDialogue;
    print_line(note(fmt::format("cut after {} tokens; /set max_tokens N changes that{}", session_.settings().max_tokens,
                                dialogue ? "" : ", Enter goes on")));
  }

  ChatSession& session_;
  const LoadedRun& run_;
  bool json_, on_terminal_;
  bool done_ = false, told_length_ = false;
  std::optional<ChatTerminal> terminal_;
  std::optional<LineEditor> editor_;
  std::optional<ChatHistory> history_ = usual_history();
  std::string last_kept_;
  std::int64_t turn_ = 0;
  char last_ = '\n';  // shown
};

int chat(const ChatArguments& arguments) {
  use_log_level(arguments.log_level);
  const ChatSettings settings{
      .sampler = arguments.sampler.options(), .max_tokens = arguments.max_tokens, .history = !arguments.no_history};
  const LoadedRun run =
      open_run(arguments.run, WhichCheckpoint::parse(arguments.checkpoint), parse_weights(arguments.weights));
  for (const std::string& warning : run.warnings) print_warning(warning);
  ChatSession session(run, conversation_of(run, arguments), settings, unknown_policy(run, arguments));
  use_writing_threads(*run.model, 1, arguments.threads);
  log_line(LogLevel::kInfo,
           printable(fmt::format("[chat] {}, step {}: {}. /help lists commands", run.directory.string(), run.step,
                                 kind_text(session.conversation().kind()))));
  return Chat(session, run, arguments.json).run();
}

Action setup_chat(Options& options) {
  const auto arguments = std::make_shared<ChatArguments>();
  options.argument("RUN", arguments->run, "Directory of a run, or a checkpoint in it");
  options.integer("--max-tokens", arguments->max_tokens, "Longest answer", 1, 1000000000);
  sampler_options(options, arguments->sampler);
  options.flag("--base", arguments->base, "Continue the text, whatever dialogues the run was trained on");
  options.text("--user", arguments->user, "Text in front of what is said, in place of the run's chat.user");
  options.text("--assistant", arguments->assistant, "Text in front of the answer, in place of chat.assistant");
  options.text("--stop", arguments->stop, "Text that ends the answer, in place of chat.stop");
  options.text("--checkpoint", arguments->checkpoint,
               "best, latest, a step, or auto (the default) = best, else latest");
  weights_option(options, arguments->weights);
  options.choice("--unknown", arguments->unknown, {"error", "replace"},
                 "What becomes of a character that the model does not know; without it, as tokenizer.unknown");
  threads_option(options, arguments->threads);
  log_level_option(options, arguments->log_level);
  options.flag("--no-history", arguments->no_history, "Neither find lines of earlier chats nor keep those of this one");
  options.flag("--json", arguments->json, "Write a JSON object per answer to stdout");
  options.footer(
      "A model of dialogues (table [chat] of its configuration) answers; any other goes on with the text: a line "
      "begins\n"
      "a new line of it, or goes on where it stopped if it begins with a blank. Answers go to stdout, the rest to "
      "stderr;\n"
      "without a terminal every line of stdin is a turn, and the first error ends the chat with its exit code.\n"
      "What is typed on a terminal is kept in ~/.local/state/minnow/chat_history (or under XDG_STATE_HOME).\n"
      "Examples:\n  minnow chat runs/chat\n  printf 'hello\\n/set temperature 0\\nwhat is two plus two?\\n' | minnow "
      "chat "
      "runs/chat\n");
  return [arguments] { return chat(*arguments); };
}

}  // namespace

const Verb kVerbChat = {"chat", "Talk with a trained model, or write a text together", "Use", setup_chat};

}  // namespace minnow::cli
