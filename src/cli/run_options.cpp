#include "cli/run_options.hpp"

namespace minnow::cli {

void weights_option(Options& options, std::string& target) {
  options.choice("--weights", target, {"auto", "trained", "ema"},
                 "Those of the last step, or their average (optimizer.ema_decay); auto as eval.use_ema says");
}

}  // namespace minnow::cli
