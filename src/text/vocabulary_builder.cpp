#include "text/vocabulary_builder.hpp"

#include <fmt/format.h>

#include <utility>

namespace minnow {

VocabularyBuilder::VocabularyBuilder(std::size_t names, std::function<void(const std::string&)> fail)
    : fail_(std::move(fail)), limit_(2 * static_cast<std::uint64_t>(names) + 1024) {
  names_.reserve(names);
  ids_.reserve(names);
}

void VocabularyBuilder::add(std::string_view name, std::uint64_t id) {
  if (name.empty()) fail_("must have no empty piece in its vocabulary.");
  if (id >= limit_) fail_(fmt::format("must number its tokens without large gaps; got the id {}.", id));
  if (id >= names_.size()) names_.resize(id + 1);
  if (!names_[id].empty()) fail_(fmt::format("must give every token an id of its own; id {} is there twice.", id));
  if (!ids_.emplace(name, static_cast<std::int32_t>(id)).second) {
    fail_(fmt::format("must give every token a name of its own; \"{}\" is there twice.", name));
  }
  names_[id] = name;
}

std::int32_t VocabularyBuilder::find(std::string_view name) const {
  const auto found = ids_.find(std::string(name));
  return found == ids_.end() ? -1 : found->second;
}

std::vector<std::string> VocabularyBuilder::take() {
  ids_.clear();
  return std::exchange(names_, {});
}

}  // namespace minnow
