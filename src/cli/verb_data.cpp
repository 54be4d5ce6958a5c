/// @file
/// `minnow data`: prepares and examines what a model learns from.

#include "cli/data_verbs.hpp"
#include "cli/verb.hpp"

namespace minnow::cli {
namespace {

Action setup_data(Options& options) {
  options.command("pack", "Turn texts of any size into token files that train maps", setup_data_pack);
  options.command("check", "Say what is wrong with texts, and what a model of them must beat", setup_data_check);
  return {};
}

}  // namespace

const Verb kVerbData = {"data", "Prepare and examine texts: pack, check", "Data", setup_data};

}  // namespace minnow::cli
