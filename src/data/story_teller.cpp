#include "data/story_teller.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "minnow/base/error.hpp"

namespace minnow {
namespace {

struct WordForms {
  std::string_view field;
  std::array<std::string_view, 4> words;  // she, he, it, they
};

constexpr WordForms kWordForms[] = {
    {"he", {"she", "he", "it", "they"}},
    {"him", {"her", "him", "it", "them"}},
    {"his", {"her", "his", "its", "their"}},
    {"self", {"herself", "himself", "itself", "themselves"}},
    {"was", {"was", "was", "was", "were"}},
    {"is", {"is", "is", "is", "are"}},
    {"s", {"s", "s", "s", ""}},
    {"am", {"am", "am", "am", "are"}},
    {"I", {"I", "I", "I", "we"}},
    {"me", {"me", "me", "me", "us"}},
    {"my", {"my", "my", "my", "our"}},
};

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

std::string with_capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string lower_first(std::string_view text) {
  std::string lower(text);
  if (!lower.empty() && is_upper(lower[0])) lower[0] = static_cast<char>(lower[0] - 'A' + 'a');
  return lower;
}

std::string with_article(const std::string& noun) {
  const bool vowel = std::string_view("aeiou").find(noun[0]) != std::string_view::npos;
  return (vowel ? "an " : "a ") + noun;
}

// The position of the bracket that closes the one at `open`.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '[') ++depth;
    if (text[i] == ']' && --depth == 0) return i;
  }
  throw DataError(fmt::format("[stories] brackets must be closed; got '{}'", text));
}

}  // namespace

std::string_view story_word_form(std::string_view field, StoryFigure::Form form) {
  for (const WordForms& row : kWordForms)
    if (row.field == field) return row.words[static_cast<std::size_t>(form)];
  throw DataError(fmt::format("[stories] a word form must be one of the table; got '{}'", field));
}

StoryTeller::StoryTeller(const StoryGrammar& grammar, StoryDraws draws) : grammar_(grammar), draws_(draws) {
  figures_["hero"] = draw_hero();
  figures_["friend"] = draw_person("girl", "boy");
  figures_["elder"] = draw_person("elder_she", "elder_he");
  figures_["thing"] = draw_counted("quality", "object", 3);
  figures_["beast"] = draw_counted("look", "animal", 4);
  figures_["beast"].name =
      figures_["beast"].name.substr(figures_["beast"].name.find(' ') + 1);  // "a grey owl ... the owl"
}

std::string StoryTeller::tell() { return write("<story>") + '\n'; }

// A random choice of the rule that this story has not used; all are free again when none is left.
std::string_view StoryTeller::pick(std::string_view rule) {
  const auto found = grammar_.find(rule);
  if (found == grammar_.end()) throw DataError(fmt::format("[stories] a rule must be in the grammar; got '{}'", rule));
  const std::vector<std::string_view>& choices = found->second;
  std::vector<bool>& used = used_.try_emplace(found->first, choices.size()).first->second;
  auto free = static_cast<std::size_t>(std::count(used.begin(), used.end(), false));
  if (free == 0) {
    used.assign(choices.size(), false);
    free = choices.size();
  }
  std::size_t left = draws_.below(free);
  std::size_t at = 0;
  while (used[at] || left-- > 0) ++at;
  used[at] = true;
  return choices[at];
}

std::string StoryTeller::write(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '{' || c == '<') {
      const std::size_t end = text.find(c == '{' ? '}' : '>', i);
      const std::string_view slot = text.substr(i + 1, end - i - 1);
      const std::string made = c == '{' ? mention(slot) : write(pick(lower_first(slot)));
      out += is_upper(slot[0]) ? with_capital(made) : made;
      i = end + 1;
    } else if (c == '[') {
      const std::size_t end = closing(text, i);
      out += write_choice(text.substr(i + 1, end - i - 1));
      i = end + 1;
    } else if (text.substr(i, 4) == " // ") {
      out += '\n';
      i += 4;
    } else {
      out += c;
      ++i;
    }
  }
  return out;
}

// One of the alternatives between brackets; they hold no brackets themselves.
std::string StoryTeller::write_choice(std::string_view inside) {
  const auto bars = static_cast<std::size_t>(std::count(inside.begin(), inside.end(), '|'));
  for (std::size_t skip = draws_.below(bars + 1); skip > 0; --skip) inside.remove_prefix(inside.find('|') + 1);
  return write(inside.substr(0, inside.find('|')));
}

// {hero}, {hero.he}, {a thing} or {place}: the same figure or word at every mention.
std::string StoryTeller::mention(std::string_view slot) {
  const std::string name = lower_first(slot);
  const std::string_view view = name;
  if (view.substr(0, 2) == "a ") return figures_.at(view.substr(2)).with_article;
  const std::size_t dot = view.find('.');
  const auto figure = figures_.find(view.substr(0, dot));
  if (figure != figures_.end()) {
    if (dot == std::string_view::npos) return figure->second.name;
    const std::string_view field = view.substr(dot + 1);
    if (field == "first") return figure->second.first;
    if (field == "kind") return figure->second.kind;
    return std::string(story_word_form(field, figure->second.form));
  }
  const auto known = chosen_.find(name);
  if (known != chosen_.end()) return known->second;
  return chosen_[name] = write(pick(view));
}

StoryFigure StoryTeller::draw_person(std::string_view girls, std::string_view boys) {
  const bool girl = draws_.below(2) == 0;
  StoryFigure person;
  person.name = std::string(pick(girl ? girls : boys));
  person.first = person.name;
  person.kind = girl ? "a girl" : "a boy";
  person.form = girl ? StoryFigure::Form::kShe : StoryFigure::Form::kHe;
  return person;
}

// One time in five the hero is two children.
StoryFigure StoryTeller::draw_hero() {
  StoryFigure hero = draw_person("girl", "boy");
  if (draws_.below(5) != 0) return hero;
  hero.name += " and " + draw_person("girl", "boy").name;
  hero.kind = "two children";
  hero.form = StoryFigure::Form::kThey;
  return hero;
}

// Adjective and noun; one time in `plural_of` it is several.
StoryFigure StoryTeller::draw_counted(std::string_view adjectives, std::string_view nouns, std::size_t plural_of) {
  const std::string_view adjective = pick(adjectives);
  const std::string_view noun = pick(nouns);
  const std::size_t bar = noun.find('|');
  StoryFigure figure;
  if (draws_.below(plural_of) == 0) {
    figure.name = fmt::format("{} {}", adjective, noun.substr(bar + 1));
    figure.with_article = fmt::format("{} {}", pick("count"), figure.name);
    figure.form = StoryFigure::Form::kThey;
  } else {
    figure.name = fmt::format("{} {}", adjective, noun.substr(0, bar));
    figure.with_article = with_article(figure.name);
  }
  return figure;
}

}  // namespace minnow
