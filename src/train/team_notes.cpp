#include "train/team_notes.hpp"

#include <fmt/format.h>

namespace minnow {
namespace {

constexpr int kMostNotes = 3;  // of a run: after them the user knows

}  // namespace

std::string TeamNotes::after_step(const TeamReport& team) {
  if (team.retreats == seen_ || team.size >= team.most || told_ >= kMostNotes) return "";
  seen_ = team.retreats;
  ++told_;
  return fmt::format("another program uses this machine: training with {} of {} threads until it is free", team.size,
                     team.most);
}

}  // namespace minnow
