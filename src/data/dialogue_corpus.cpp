#include "minnow/data/dialogue_corpus.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <iterator>

#include "minnow/base/error.hpp"
#include "minnow/base/philox.hpp"
#include "minnow/data/story_corpus.hpp"

namespace minnow {
namespace {

struct Pair {
  std::string_view first, second;
};

struct Exchange {
  std::string said, answer;
};

constexpr std::string_view kNames[] = {"Nell", "Tom",  "Ada",  "Ben",   "Ida",  "Max",  "Lena", "Paul",
                                       "Rosa", "Sam",  "Mia",  "Finn",  "Emma", "Leo",  "Ella", "Jack",
                                       "Lily", "Noah", "Zoe",  "Hugo",  "Anna", "Otto", "Nora", "Carl",
                                       "Ruth", "Alan", "Maya", "Oscar", "Jane", "Peter"};
constexpr Pair kColors[] = {{"the sky", "blue"}, {"grass", "green"},    {"snow", "white"},
                            {"coal", "black"},   {"a lemon", "yellow"}, {"a carrot", "orange"},
                            {"blood", "red"},    {"milk", "white"},     {"chocolate", "brown"},
                            {"a cherry", "red"}, {"the sun", "yellow"}, {"the night", "black"}};
constexpr Pair kSounds[] = {{"cow", "moo"},   {"dog", "woof"},    {"cat", "meow"},  {"duck", "quack"},
                            {"sheep", "baa"}, {"pig", "oink"},    {"bee", "buzz"},  {"rooster", "cock-a-doodle-doo"},
                            {"owl", "hoot"},  {"frog", "ribbit"}, {"lion", "roar"}, {"mouse", "squeak"}};
constexpr Pair kHomes[] = {{"fish", "in the water"},     {"bird", "in a nest"},  {"bee", "in a hive"},
                           {"fox", "in a den"},          {"spider", "in a web"}, {"horse", "in a stable"},
                           {"mole", "under the ground"}, {"frog", "by the pond"}};
constexpr Pair kOpposites[] = {{"hot", "cold"},  {"big", "small"},  {"fast", "slow"},   {"happy", "sad"},
                               {"up", "down"},   {"day", "night"},  {"open", "closed"}, {"wet", "dry"},
                               {"old", "young"}, {"full", "empty"}, {"loud", "quiet"},  {"light", "dark"},
                               {"hard", "soft"}, {"left", "right"}};
constexpr std::string_view kNumbers[] = {"zero",  "one",   "two",  "three", "four",   "five",  "six",
                                         "seven", "eight", "nine", "ten",   "eleven", "twelve"};
constexpr std::string_view kDays[] = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
constexpr std::string_view kMonths[] = {"January", "February", "March",     "April",   "May",      "June",
                                        "July",    "August",   "September", "October", "November", "December"};
constexpr std::string_view kHello[] = {"Hello", "Hi", "Hey", "Good morning", "Good evening", "Hello there"};
constexpr std::string_view kMoods[] = {"happy", "tired", "hungry", "sad", "bored", "cold"};
constexpr std::string_view kAdvice[] = {"That is good to hear.",  "Then go to bed early.",     "Then eat an apple.",
                                        "I hope it gets better.", "Then let us read a story.", "Then put on a coat."};

class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t dialogue) : key_{.seed = seed, .stream = kStream, .step = dialogue} {}

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_below(key_, count_++, n)); }
  template <class T, std::size_t kCount>
  const T& of(const T (&list)[kCount]) {
    return list[below(kCount)];
  }
  /// One of a few ways to say it.
  template <class... Ways>
  std::string one(const Ways&... ways) {
    const std::array<std::string, sizeof...(ways)> list{std::string(ways)...};
    return list[below(list.size())];
  }

 private:
  static constexpr std::uint32_t kStream = 0x6469616c;  // "dial"
  RandomKey key_;
  std::uint64_t count_ = 0;
};

std::string capital(std::string text) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string_view article(std::string_view noun) {
  return std::string_view("aeiou").find(noun.front()) == std::string_view::npos ? "a" : "an";
}

Exchange greeting(Draws& draws) {
  return {std::string(draws.of(kHello)), draws.one("Hello! What is your name?", "Hi! Who are you?",
                                                   "Hello! How are you?", "Hello! Ask me something.")};
}

Exchange naming(Draws& draws) {
  const std::string name(draws.of(kNames));
  const std::string said = draws.one("I am ", "My name is ", "I'm ", "Call me ") + name + ".";
  return {said, fmt::format("{} {}.", draws.one("Nice to meet you,", "Welcome,", "Hello,"), name)};
}

Exchange self(Draws& draws) {
  switch (draws.below(3)) {
    case 0:
      return {draws.one("Who are you?", "What is your name?", "What are you?"), "I am Minnow, a small model."};
    case 1:
      return {draws.one("How are you?", "How do you do?"), "I am fine, thank you. And you?"};
    default:
      return {draws.one("What can you do?", "What do you know?"), "I know colours, animals, numbers and days."};
  }
}

Exchange mood(Draws& draws) {
  const std::size_t which = draws.below(std::size(kMoods));
  return {draws.one("I am ", "I feel ", "I'm ") + std::string(kMoods[which]) + ".", std::string(kAdvice[which])};
}

Exchange color(Draws& draws) {
  const Pair fact = draws.of(kColors);
  const std::string said = draws.one("What colour is ", "Which colour is ", "Tell me the colour of ");
  return {fmt::format("{}{}{}", said, fact.first, said.front() == 'T' ? "." : "?"),
          fmt::format("{} is {}.", capital(std::string(fact.first)), fact.second)};
}

Exchange sound(Draws& draws) {
  const Pair fact = draws.of(kSounds);
  const std::string_view a = article(fact.first);
  return {
      draws.one(fmt::format("What does {} {} say?", a, fact.first), fmt::format("What does the {} say?", fact.first),
                fmt::format("Which sound does {} {} make?", a, fact.first)),
      fmt::format("The {} says {}.", fact.first, fact.second)};
}

Exchange home(Draws& draws) {
  const Pair fact = draws.of(kHomes);
  return {draws.one(fmt::format("Where does {} {} live?", article(fact.first), fact.first),
                    fmt::format("Where does the {} live?", fact.first)),
          fmt::format("The {} lives {}.", fact.first, fact.second)};
}

Exchange opposite(Draws& draws) {
  Pair fact = draws.of(kOpposites);
  if (draws.below(2) == 0) std::swap(fact.first, fact.second);
  return {draws.one("What is the opposite of ", "Which word is the opposite of ") + std::string(fact.first) + "?",
          fmt::format("The opposite of {} is {}.", fact.first, fact.second)};
}

Exchange sum(Draws& draws) {
  const std::size_t a = draws.below(7);
  const std::size_t b = draws.below(6);
  const std::string said = draws.one("What is ", "How much is ");
  return {fmt::format("{}{} {} {}?", said, kNumbers[a], draws.one("and", "plus"), kNumbers[b]),
          fmt::format("{} and {} is {}.", capital(std::string(kNumbers[a])), kNumbers[b], kNumbers[a + b])};
}

/// What comes after or before something in a list; `round` lists begin again.
template <std::size_t kCount>
Exchange order(Draws& draws, std::string_view what, const std::string_view (&list)[kCount], bool round) {
  const std::size_t at = round ? draws.below(kCount) : draws.below(kCount - 1);
  const bool after = draws.below(2) == 0;
  const std::string_view low = list[at];
  const std::string_view high = list[(at + 1) % kCount];
  const std::string_view word = after ? "after" : "before";
  const std::string_view asked = after ? low : high;
  return {fmt::format("{} comes {} {}?", draws.one("What", fmt::format("Which {}", what)), word, asked),
          fmt::format("{} comes {} {}.", capital(std::string(after ? high : low)), word, asked)};
}

Exchange thanks(Draws& draws) {
  return {draws.one("Thank you.", "Thanks.", "Thank you very much."), draws.one("You are welcome.", "It was nothing.")};
}

Exchange farewell(Draws& draws) {
  return {draws.one("Bye.", "Goodbye.", "Good night.", "See you."), draws.one("Goodbye!", "Bye! Come again.")};
}

Exchange question(Draws& draws) {
  switch (draws.below(13)) {
    case 0:
      return self(draws);
    case 1:
      return mood(draws);
    case 2:
    case 3:
      return color(draws);
    case 4:
    case 5:
      return sound(draws);
    case 6:
      return home(draws);
    case 7:
    case 8:
      return opposite(draws);
    case 9:
      return order(draws, "day", kDays, true);
    case 10:
      return order(draws, "month", kMonths, true);
    case 11:
      return order(draws, "number", kNumbers, false);
    default:
      return sum(draws);
  }
}

/// As people type: one time in three without capitals, and then mostly without a mark at the end.
std::string typed(Draws& draws, std::string said) {
  if (draws.below(3) != 0) return said;
  for (char& c : said) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (draws.below(3) != 0 && (said.back() == '.' || said.back() == '?')) said.pop_back();
  return said;
}

std::string dialogue(std::uint64_t seed, std::uint64_t number) {
  Draws draws(seed, number);
  std::string text;
  const auto add = [&](const Exchange& exchange) {
    text += fmt::format("You: {}\nMinnow: {}\n", typed(draws, exchange.said), exchange.answer);
  };
  if (draws.below(2) == 0) add(greeting(draws));
  if (draws.below(2) == 0) add(naming(draws));
  const std::size_t questions = 1 + draws.below(3);
  for (std::size_t i = 0; i < questions; ++i) add(question(draws));
  if (draws.below(4) == 0) add(thanks(draws));
  if (draws.below(4) == 0) add(farewell(draws));
  return text + "\n";
}

}  // namespace

std::string dialogue_corpus(std::size_t bytes, std::uint64_t seed) {
  constexpr std::size_t kLongest = 1000;
  std::string text;
  text.reserve(bytes + kLongest);
  for (std::uint64_t number = 0; text.size() < bytes; ++number) text += dialogue(seed, number);
  return text;
}

bool names_builtin(std::string_view path) { return path == "builtin" || path.starts_with("builtin:"); }

std::string builtin_corpus(std::string_view path, std::size_t bytes, std::uint64_t seed) {
  if (path == "builtin") return story_corpus(bytes, seed);
  if (path == "builtin:dialogues") return dialogue_corpus(bytes, seed);
  throw DataError(fmt::format(
      "[data] a built-in corpus must be \"builtin\" (stories) or \"builtin:dialogues\"; got {}. Hint: for a "
      "file of that name write ./{}",
      path, path));
}

}  // namespace minnow
