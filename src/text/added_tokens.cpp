#include "text/added_tokens.hpp"

#include <algorithm>

#include "minnow/text/utf8.hpp"
#include "text/char_class.hpp"

namespace minnow {
namespace {

/// @return where the character before `position` (> 0) begins.
std::size_t previous_character(std::string_view text, std::size_t position) {
  std::size_t begin = position - 1;
  while (begin > 0 && position - begin < 4 && (static_cast<std::uint8_t>(text[begin]) & 0xC0U) == 0x80U) --begin;
  const Utf8Step step = read_utf8(text, begin);
  return step.valid && begin + step.length == position ? begin : position - 1;
}

bool word_stands_before(std::string_view text, std::size_t position) {
  if (position == 0) return false;
  const Utf8Step step = read_utf8(text, previous_character(text, position));
  return step.valid && is_word_character(step.code_point);
}

bool word_stands_at(std::string_view text, std::size_t position) {
  if (position >= text.size()) return false;
  const Utf8Step step = read_utf8(text, position);
  return step.valid && is_word_character(step.code_point);
}

std::size_t skip_space_left(std::string_view text, std::size_t position, std::size_t limit) {
  while (position > limit) {
    const std::size_t before = previous_character(text, position);
    const Utf8Step step = read_utf8(text, before);
    if (before < limit || !step.valid || !is_white_space(step.code_point)) break;
    position = before;
  }
  return position;
}

std::size_t skip_space_right(std::string_view text, std::size_t position) {
  while (position < text.size()) {
    const Utf8Step step = read_utf8(text, position);
    if (!step.valid || !is_white_space(step.code_point)) break;
    position += step.length;
  }
  return position;
}

}  // namespace

AddedTokens::AddedTokens(std::span<const AddedToken> tokens, bool special) {
  for (const AddedToken& token : tokens) {
    if (token.special && !special) continue;
    Round& round = rounds_[token.normalized ? 1 : 0];
    round.tokens.push_back(&token);
    round.begins[static_cast<std::uint8_t>(token.content.front())] = true;
    longest_ = std::max(longest_, token.content.size());
  }
  for (Round& round : rounds_) {
    std::stable_sort(round.tokens.begin(), round.tokens.end(),
                     [](const auto* a, const auto* b) { return a->content.size() > b->content.size(); });
  }
}

const AddedToken* AddedTokens::Round::at(std::string_view text, std::size_t position) const {
  if (!begins[static_cast<std::uint8_t>(text[position])]) return nullptr;
  const std::string_view rest = text.substr(position);
  const auto found =
      std::find_if(tokens.begin(), tokens.end(), [&](const auto* token) { return rest.starts_with(token->content); });
  return found == tokens.end() ? nullptr : *found;
}

void AddedTokens::run(const Round& round, std::string_view text, const Plain& plain, const Marked& token) {
  std::size_t done = 0;
  const auto plain_until = [&](std::size_t end) {
    if (end > done) plain(text.substr(done, end - done));
  };
  for (std::size_t i = 0; i < text.size();) {
    const AddedToken* const found = round.at(text, i);
    if (found == nullptr) {
      ++i;
      continue;
    }
    std::size_t begin = i;
    std::size_t end = i + found->content.size();
    i = end;
    if (begin < done) continue;  // rstrip of the one before went beyond it
    if (found->single_word && (word_stands_before(text, begin) || word_stands_at(text, end))) continue;
    if (found->lstrip) begin = skip_space_left(text, begin, done);
    if (found->rstrip) end = skip_space_right(text, end);
    plain_until(begin);
    token(found->id);
    done = end;
  }
  plain_until(text.size());
}

void AddedTokens::cut(std::string_view text, const Plain& plain, const Marked& token) const {
  if (rounds_[1].tokens.empty()) {
    run(rounds_[0], text, plain, token);
    return;
  }
  run(
      rounds_[0], text, [&](std::string_view part) { run(rounds_[1], part, plain, token); }, token);
}

bool AddedTokens::touch(std::string_view text, std::size_t position) const {
  if (empty()) return false;
  for (std::size_t i = position - std::min(position, longest_); i <= position && i < text.size(); ++i) {
    for (const Round& round : rounds_) {
      // The longest that begins here reaches farthest.
      const AddedToken* const found = round.at(text, i);
      if (found != nullptr && i + found->content.size() >= position) return true;
    }
  }
  return false;
}

}  // namespace minnow
