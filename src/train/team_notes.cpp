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

std::string ChoiceNotes::after_step(const BeatSize& steps) {
  if (steps.changes() == seen_) return "";
  seen_ = steps.changes();
  if (seen_ == 0) return "";  // another team: all begins anew
  const bool alone = steps.chosen() == 1;
  const double one = 1e3 * (alone ? steps.in_trial() : steps.before_trial());
  const double all = 1e3 * (alone ? steps.before_trial() : steps.in_trial());
  return fmt::format("steps take {:.3g} ms with {} threads and {:.3g} ms with one: {} used", all, steps.most(), one,
                     alone ? "one is" : fmt::format("{} are", steps.most()));
}

}  // namespace minnow
