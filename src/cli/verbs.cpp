#include "cli/verb.hpp"

namespace minnow::cli {

std::span<const Verb* const> verbs() {
  static constexpr const Verb* kVerbs[] = {
      &kVerbNew,    &kVerbPlan,   &kVerbTrain,   &kVerbVerify,  &kVerbSample,     &kVerbChat,
      &kVerbEval,   &kVerbPlot,   &kVerbReport,  &kVerbCompare, &kVerbAttention,  &kVerbWalk,
      &kVerbImport, &kVerbExport, &kVerbInspect, &kVerbConfig,  &kVerbData,       &kVerbTokenizer,
      &kVerbOps,    &kVerbBench,  &kVerbDoctor,  &kVerbMan,     &kVerbCompletion,
  };
  return kVerbs;
}

const Verb* find_verb(std::string_view name) {
  for (const Verb* verb : verbs()) {
    if (verb->name == name) return verb;
  }
  return nullptr;
}

}  // namespace minnow::cli
