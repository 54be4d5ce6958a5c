#pragma once
/// @file
/// Lists the verbs of the program: `minnow VERB ...`.
///
/// To add one: write src/cli/verb_<name>.cpp, which defines `extern const Verb kVerb<Name>`, declare it here and give
/// it its row in verbs.cpp.

#include <span>
#include <string_view>

#include "cli/options.hpp"

namespace minnow::cli {

/// One verb.
struct Verb {
  std::string_view name;
  std::string_view summary;   ///< one line, begins with a verb, no full stop
  std::string_view group;     ///< heading in `minnow help`
  Action (*setup)(Options&);  ///< declares the options and returns what to do; an empty action if a command must follow
};

extern const Verb kVerbAttention;
extern const Verb kVerbBench;
extern const Verb kVerbChat;
extern const Verb kVerbCompare;
extern const Verb kVerbCompletion;
extern const Verb kVerbConfig;
extern const Verb kVerbData;
extern const Verb kVerbDoctor;
extern const Verb kVerbEval;
extern const Verb kVerbExport;
extern const Verb kVerbImport;
extern const Verb kVerbInspect;
extern const Verb kVerbMan;
extern const Verb kVerbNew;
extern const Verb kVerbOps;
extern const Verb kVerbPlan;
extern const Verb kVerbPlot;
extern const Verb kVerbReport;
extern const Verb kVerbSample;
extern const Verb kVerbTokenizer;
extern const Verb kVerbTrain;
extern const Verb kVerbVerify;
extern const Verb kVerbWalk;

/// @return all verbs in the order of `minnow help`.
std::span<const Verb* const> verbs();

/// @return the verb of this name, or null.
const Verb* find_verb(std::string_view name);

}  // namespace minnow::cli
