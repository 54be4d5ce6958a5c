#include "minnow/train/propose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "minnow/base/error.hpp"
#include "minnow/base/grouped.hpp"
#include "minnow/data/text_reader.hpp"
#include "minnow/text/utf8.hpp"
#include "train/propose_text.hpp"
#include "train/propose_tokenizer.hpp"

namespace minnow {
namespace {

/// A model of the ladder.
struct Rung {
  std::int64_t layers, heads, width, block;
};
constexpr std::array kLadder = {Rung{2, 2, 32, 32},   Rung{2, 2, 64, 64},    Rung{3, 3, 96, 64},   Rung{4, 4, 128, 128},
                                Rung{4, 6, 192, 128}, Rung{6, 6, 192, 128},  Rung{6, 8, 256, 256}, Rung{6, 6, 384, 256},
                                Rung{8, 8, 512, 256}, Rung{12, 12, 768, 512}};
constexpr std::size_t kMeasuredRung = 3;

constexpr double kMostPasses = 30;  // more of a text than this is learning by heart
constexpr std::int64_t kTokensOfStep = 2048;
constexpr std::int64_t kFewestSteps = 200, kMostSteps = 200'000;
constexpr std::int64_t kMostValidation = 200'000;  // tokens: an evaluation shall take seconds
constexpr std::int64_t kFewestTokens = 100;
constexpr double kEvaluations = 10;
constexpr double kAnySpeed = 1e30;     // tokens a second: the text alone decides
constexpr double kTimeForSteps = 0.9;  // the rest: evaluations, samples, checkpoints

/// @return the number with two digits that count.
std::int64_t rounded(double number) {
  if (number < 100) return static_cast<std::int64_t>(std::max(1.0, std::floor(number)));
  const double unit = std::pow(10.0, std::floor(std::log10(number)) - 1);
  return static_cast<std::int64_t>(std::floor(number / unit) * unit);
}

/// Goes through the choices in the order in which they depend on one another.
class Proposer {
 public:
  explicit Proposer(const ProposalOptions& options) : options_(options) { config_.sample.prompt.clear(); }

  Proposal run() {
    for (const auto stage : {&Proposer::look_at_text, &Proposer::choose_tokenizer, &Proposer::choose_documents,
                             &Proposer::choose_split, &Proposer::choose_model, &Proposer::finish}) {
      (this->*stage)();
      if (options_.interrupted && options_.interrupted()) break;
    }
    return std::move(made_);
  }

 private:
  void say(const std::string& what) const {
    if (options_.report) options_.report(what);
  }
  void because(std::string& words, const std::string& reason) {
    words = reason;
    made_.reasons.push_back(reason);
  }

  /// A configuration is UTF-8, the names of files may be anything.
  void require_writable_names() const {
    for (const std::string& name : {options_.text.string(), options_.tokenizer}) {
      if (count_invalid_utf8(name) == 0) continue;
      throw ConfigError(
          fmt::format("[new] paths must be UTF-8, since the configuration holds them; got {}. Hint: rename it",
                      replace_invalid_utf8(name)));
    }
  }

  void look_at_text() {
    require_writable_names();
    CheckOptions check;
    check.files = find_text_files(options_.text);
    check.text_field = options_.text_field;
    check.interrupted = options_.interrupted;
    made_.text = check_texts(check);
    if (!made_.text.finished) return;
    jsonl_ = is_jsonl_name(check.files.front());
    const CheckReport& text = made_.text;
    for (const CheckFinding& finding : text.findings) {
      if (finding.kind == "unreadable") throw DataError(finding.places.front());
    }
    if (text.tokens == 0 && text.characters > 0) {
      throw DataError(fmt::format(
          "[new] a text must hold something to learn from; {} is blank (white space only). Hint: check that "
          "it is the file you meant.",
          options_.text.string()));
    }
    if (text.tokens < kFewestTokens) {
      throw DataError(
          fmt::format("[new] a text must have at least {} characters to learn from; {} has {}. Hint: a few "
                      "hundred thousand are a beginning.",
                      kFewestTokens, options_.text.string(), grouped(text.characters)));
    }
    if (text.distinct_characters < 2) refuse_one_character(check.files);
    words_.name = options_.name;
    words_.text = fmt::format("The text: {} bytes, {} characters ({} different), {} lines.", grouped(text.text_bytes),
                              grouped(text.characters), grouped(text.distinct_characters), grouped(text.lines));
    look_at_beginning(check.files);
    config_.data.path = options_.text.string();
    config_.data.text_field = options_.text_field;
  }

  [[noreturn]] void refuse_one_character(const std::vector<std::filesystem::path>& files) const {
    TextReader reader(files, {.field = options_.text_field});
    TextPiece piece;
    (void)reader.next(piece);
    throw DataError(fmt::format(
        "[new] a text must have at least two different characters; {} holds nothing but {}. Hint: check that it is the "
        "file you meant.",
        options_.text.string(), describe_character(read_utf8(piece.text, 0).code_point)));
  }

  /// The first word makes the prompt of samples; the first lines tell a list of names from prose.
  void look_at_beginning(const std::vector<std::filesystem::path>& files) {
    TextReader reader(files, {.documents = Documents::kLines, .field = options_.text_field});
    constexpr int kLines = 2000;
    constexpr std::size_t kShortLine = 40;
    int lines = 0;
    bool all_short = true;
    std::string before;
    for (TextPiece piece; lines < kLines && reader.next(piece); ++lines) {
      if (config_.sample.prompt.empty()) config_.sample.prompt = first_word(piece.text);
      all_short = all_short && piece.text.size() <= kShortLine && piece.text.find(' ') == std::string_view::npos;
    }
    constexpr int kFewestLines = 100;
    words_alone_ = all_short && lines >= kFewestLines && !jsonl_;
  }

  static std::string first_word(std::string_view text) {
    constexpr std::size_t kLongestWord = 20;
    const std::size_t begin = text.find_first_not_of(" \t#*=-_\"'");
    if (begin == std::string_view::npos) return "";
    const std::string_view word = text.substr(begin, text.find_first_of(" \t,.;:!?", begin) - begin);
    return word.size() <= kLongestWord && count_invalid_utf8(word) == 0 ? std::string(word) : "";
  }

  void choose_tokenizer() {
    TokenizerProposal chosen = propose_tokenizer({.text = made_.text,
                                                  .files = find_text_files(options_.text),
                                                  .text_field = options_.text_field,
                                                  .wanted = options_.tokenizer,
                                                  .vocab_size = options_.vocab_size,
                                                  .minutes = options_.minutes,
                                                  .documents = jsonl_ || words_alone_,
                                                  .words_alone = words_alone_,
                                                  .report = options_.report});
    config_.tokenizer = chosen.config;
    tokenizer_ = std::move(chosen.tokenizer);
    vocab_size_ = chosen.vocab_size;
    tokens_ = chosen.tokens;
    because(words_.tokenizer, chosen.reason);
    const CheckReport& text = made_.text;
    if (text.bigram_nats <= 0) return;
    // The text was measured in characters; other tokens carry the same in other portions.
    const double share = chosen.by_characters ? 1 : 1 / (std::numbers::ln2 * text.bytes_per_token());
    words_.loss = fmt::format(
        "To beat: {:.3f} {} knows how frequent each {} is, {:.3f} knows the one before. Less than that is learned from "
        "further back.",
        share * text.unigram_nats, chosen.by_characters ? "nats per token" : "bits per byte",
        chosen.by_characters ? "token" : "character", share * text.bigram_nats);
  }

  void choose_documents() {
    if ((words_alone_ || jsonl_) && tokenizer_ && !tokenizer_->boundary_id()) {
      because(words_.documents,
              "The text is one stream: the tokenizer has no token that could stand between documents.");
    } else if (words_alone_) {
      config_.data.documents = DocumentKind::kLines;
      because(words_.documents, "A document is a line: the lines are short words by themselves.");
    } else if (jsonl_) {
      config_.data.documents = DocumentKind::kFiles;
      because(words_.documents, "A document is a text of the .jsonl files.");
    }
    if (config_.data.documents != DocumentKind::kStream) config_.data.packing = PackingKind::kPack;
    config_.data.order = config_.data.documents == DocumentKind::kStream ? OrderKind::kRandom : OrderKind::kEpoch;
  }

  void choose_split() {
    constexpr double kUsualPart = 0.1;
    const double part = std::min(kUsualPart, static_cast<double>(kMostValidation) / tokens_);
    config_.data.val_fraction = part < kUsualPart ? std::max(1e-6, std::round(part * 1e6) / 1e6) : kUsualPart;
    train_tokens_ = tokens_ * (1 - config_.data.val_fraction);
    because(words_.validation,
            fmt::format("The last {:.3g} % of the text is kept for validation.", 100 * config_.data.val_fraction));
  }

  void use_rung(std::size_t index) {
    const Rung& rung = kLadder[index];
    config_.model.n_layer = rung.layers;
    config_.model.n_head = rung.heads;
    config_.model.n_embd = rung.width;
    config_.model.block_size = rung.block;
    // Both splits shall have a few windows.
    const double shorter = std::min(train_tokens_, tokens_ - train_tokens_);
    constexpr std::int64_t kShortestBlock = 8;
    while (config_.model.block_size > kShortestBlock && static_cast<double>(config_.model.block_size) * 2 > shorter)
      config_.model.block_size /= 2;
    config_.model.init = InitKind::kScaled;
    // Of a small text a step sees a twentieth at most.
    const std::int64_t step = std::min(kTokensOfStep, static_cast<std::int64_t>(train_tokens_) / 20);
    config_.train.batch_size = std::clamp<std::int64_t>(step / config_.model.block_size, 2, 32);
    constexpr double kRateOfWidth = 0.2;  // 1.6e-3 at 128
    constexpr double kMostRate = 3e-3;
    const double rate = std::min(kMostRate, kRateOfWidth / static_cast<double>(rung.width));
    config_.optimizer.learning_rate = std::round(rate * 1e5) / 1e5;
    config_.optimizer.beta2 = 0.99;
    config_.optimizer.weight_decay = 0.1;
    config_.schedule.name = ScheduleKind::kCosine;
    config_.schedule.min_lr = std::round(rate * 1e5) / 1e6;
  }

  double parameters_of(std::size_t index) {
    const Config kept = config_;
    use_rung(index);
    double sum = 0;
    for (const ParameterPart& part : parameter_parts(config_.model, vocab_size_)) sum += part.count;
    config_ = kept;
    return sum;
  }

  void set_steps(double steps) {
    config_.train.max_steps = std::clamp(rounded(steps), kFewestSteps, kMostSteps);
    const std::int64_t part =
        std::max<std::int64_t>(1, config_.train.max_steps / static_cast<std::int64_t>(kEvaluations));
    config_.schedule.warmup_steps = std::min<std::int64_t>(part, 500);
    config_.eval.every_steps = config_.checkpoint.every_steps = config_.sample.every_steps = part;
    // A window that is scored takes a third of the time of one that is learned: this makes 2 % of the time.
    constexpr double kEvaluated = 0.06;
    const double windows = kEvaluated * static_cast<double>(part * config_.train.batch_size);
    const double there = tokens_ * config_.data.val_fraction / static_cast<double>(config_.model.block_size);
    config_.eval.max_windows = windows < there ? std::max<std::int64_t>(1, rounded(windows)) : 0;
    constexpr std::int64_t kSampleTokens = 200;
    config_.sample.max_tokens = kSampleTokens;
  }

  [[nodiscard]] double tokens_of_step() const {
    return static_cast<double>(config_.train.batch_size * config_.model.block_size);
  }

  TrainPlan plan_now() {
    return make_plan({.config = load_config(proposal_toml(config_, words_), "proposal", {}),
                      .run_dir = std::filesystem::path("runs") / options_.name,
                      .tokenizer = tokenizer_,
                      .measure_seconds = options_.measure_seconds,
                      .interrupted = options_.interrupted});
  }

  /// @return whether the tokens that time and text allow are enough for so large a model.
  [[nodiscard]] bool can_learn(double parameters, double tokens_per_s) const {
    const double in_time = tokens_per_s * options_.minutes * 60 * kTimeForSteps;
    return std::min(in_time, kMostPasses * train_tokens_) >= kBestTokensPerParameter * parameters;
  }

  /// @return whether the model of this rung learns enough here and fits into the memory; `made_.plan` is then its plan.
  bool try_rung(std::size_t index) {
    use_rung(index);
    set_steps(1000);
    say(fmt::format("timing {} layers of width {}", config_.model.n_layer, config_.model.n_embd));
    TrainPlan plan = plan_now();
    const bool fits = plan.memory_fits() && (!plan.speed || can_learn(plan.parameters, plan.speed->tokens_per_s));
    if (fits || index == 0) made_.plan = std::move(plan);
    return fits;
  }

  /// Guesses from the time of a model of middle size, as if the others took time as they have parameters, then times
  /// the neighbours of the guess: small models are faster than that, and machines differ.
  void choose_model() {
    use_rung(kMeasuredRung);
    set_steps(1000);
    say("timing a model of middle size");
    const TrainPlan middle = plan_now();
    const double work = middle.speed ? middle.speed->tokens_per_s * middle.parameters : 0;
    std::size_t chosen = 0;
    while (chosen + 1 < kLadder.size() && can_learn(parameters_of(chosen + 1), work / parameters_of(chosen + 1)))
      ++chosen;
    if (try_rung(chosen)) {
      while (chosen + 1 < kLadder.size() && can_learn(parameters_of(chosen + 1), kAnySpeed) && try_rung(chosen + 1))
        ++chosen;
    } else {
      while (chosen > 0 && !try_rung(--chosen)) continue;
    }
    use_rung(chosen);
    if (!made_.plan.memory_fits())
      throw MemoryError("[new] there must be memory for the smallest model; there is too little.");
  }

  void finish() {
    const double by_text = kMostPasses * train_tokens_ / tokens_of_step();
    double by_time = by_text;
    if (made_.plan.speed) {
      const PlanSpeed& speed = *made_.plan.speed;
      const double seconds =
          options_.minutes * 60 - (kEvaluations - 1) * speed.seconds_per_evaluation - speed.seconds_of_last_evaluation;
      by_time = std::max(0.0, seconds) * kTimeForSteps / speed.seconds_per_step;
    }
    set_steps(std::min(by_text, by_time));
    const double passes = static_cast<double>(config_.train.max_steps) * tokens_of_step() / train_tokens_;
    // Narrow models have little to spare: after 30 passes dropout of 0, 0.1 and 0.2 gave 2.40, 2.42 and 2.49 bits per
    // byte of 0.2 MB of Shakespeare (width 32, byte pairs), 2.28, 2.33 and 2.40 of 1.1 MB (the same), 2.40, 2.57
    // and 2.78 of 0.2 MB (width 64, characters).
    constexpr std::int64_t kNarrow = 64;
    constexpr double kFewPasses = 5, kManyPasses = 15;
    config_.model.dropout = config_.model.n_embd <= kNarrow || passes <= kFewPasses ? 0
                            : passes > kManyPasses                                  ? 0.2
                                                                                    : 0.1;
    because(words_.model, why_so_large(by_time < by_text));
    because(words_.training,
            fmt::format("{} steps, {:.1f} passes over the text{}.", grouped(config_.train.max_steps), passes,
                        by_text < by_time ? ": more would learn it by heart"
                                          : fmt::format(": what {:g} minutes allow here", options_.minutes)));
    made_.toml = proposal_toml(config_, words_);
    made_.config = load_config(made_.toml, options_.name + ".toml");
    say("checking the plan");
    made_.plan = make_plan({.config = made_.config,
                            .run_dir = std::filesystem::path("runs") / options_.name,
                            .tokenizer = tokenizer_,
                            .measure_seconds = options_.measure_seconds,
                            .interrupted = options_.interrupted});
  }

  /// @param time_decides  else the text does
  [[nodiscard]] std::string why_so_large(bool time_decides) const {
    const double tokens = static_cast<double>(config_.train.max_steps) * tokens_of_step();
    const std::string parameters = grouped(std::llround(made_.plan.parameters));
    const std::string what = fmt::format("{} tokens", grouped(std::llround(tokens)));
    const char* const speed = time_decides ? ", at the speed of this machine" : "";
    if (tokens < kBestTokensPerParameter * made_.plan.parameters && config_.model.n_embd == kLadder.front().width) {
      return fmt::format(
          "{} parameters, the smallest model that `new` makes: {} teach fewer (20 tokens a parameter){}.", parameters,
          what, speed);
    }
    return fmt::format("{} parameters: about what {} can teach (20 tokens a parameter){}.", parameters, what, speed);
  }

  const ProposalOptions& options_;
  Proposal made_;
  Config config_;
  ProposalWords words_;
  std::shared_ptr<const Tokenizer> tokenizer_;  // byte pairs, learned once for all plans
  std::int64_t vocab_size_ = 0;
  double tokens_ = 0, train_tokens_ = 0;
  bool jsonl_ = false, words_alone_ = false;
};

}  // namespace

Proposal propose_run(const ProposalOptions& options) { return Proposer(options).run(); }

}  // namespace minnow
