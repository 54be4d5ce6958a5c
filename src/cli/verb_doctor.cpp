/// @file
/// `minnow doctor`: says what this machine offers, what is in the way, and what to do about it.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cli/diagnosis.hpp"
#include "cli/human.hpp"
#include "cli/json_line.hpp"
#include "cli/terminal.hpp"
#include "cli/verb.hpp"
#include "minnow/text/sentencepiece_tokenizer.hpp"

#ifndef MINNOW_VERSION
#define MINNOW_VERSION "unknown"
#endif

namespace minnow::cli {
namespace {

using Json = nlohmann::ordered_json;

#ifdef __clang__
constexpr std::string_view kCompiler = __VERSION__;  // with its name
#else
constexpr std::string_view kCompiler = "g++ " __VERSION__;
#endif

/// What the sections of the package list are for.
std::string purpose_of(const std::string& section) {
  if (section == "build") return "to build";
  if (section == "test") return "to test";
  if (section == "sanitize") return "for sanitizers";
  if (section == "check") return "for checks";
  if (section == "arm") return "for ARM";
  return "for " + section;
}

std::string line(std::string_view name, std::string_view value) { return fmt::format("{:<18}{}\n", name, value); }

std::string vectors_text(const MachineFacts& facts) {
  std::string text;
  for (const auto& set : facts.instruction_sets) {
    const std::string_view remark = set.used ? " (used)" : set.supported ? "" : " (not in this processor)";
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", set.name, remark);
  }
  return text;
}

std::string packages_text(const MachineFacts& facts) {
  std::string text;
  for (const PackageSection& section : facts.sections) {
    std::string value = section.missing.empty() ? "nothing is missing" : "missing: " + install_line(section.missing);
    // Another system has other names; these say at least what is meant.
    if (!facts.has_dpkg) value = fmt::format("Debian calls it {}", fmt::join(section.packages, " "));
    text += line(purpose_of(section.name), value);
  }
  return text;
}

std::string facts_text(const MachineFacts& facts) {
  std::string text = line("minnow", fmt::format("{}, built with {}", MINNOW_VERSION, kCompiler));
  text += line("processor", printable(facts.processor));
  text += line("processors", facts.quota > 0 ? fmt::format("{}, of which {:.3g} are granted", facts.usable, facts.quota)
                                             : fmt::format("{}", facts.usable));
  text += line("vectors", vectors_text(facts));
  text +=
      line("products", fmt::format("f32 and bf16 by {}; bf16 {}", facts.own_products ? "minnow" : "OpenBLAS",
                                   facts.native_bf16 ? "has its instructions" : "is rounded, then multiplied in f32"));
  text += line("", fmt::format("OpenBLAS flavour {}, kernels {}", facts.blas_flavour, facts.blas_core));
  if (!facts.blas_config.empty()) text += line("", facts.blas_config);
  text += line("", facts.onednn.empty() ? "oneDNN is not here (compute.gemm = \"onednn\" would need it)"
                                        : fmt::format("oneDNN {}", facts.onednn));
  text += line("", has_sentencepiece() ? "SentencePiece: its tokenizers are read"
                                       : "SentencePiece is not here (its .model files would need it)");
  text += line("threads", fmt::format("{}", facts.threads));
  for (const auto& [name, value] : facts.variables) text += line("", printable(fmt::format("{}={}", name, value)));
  const std::string total = facts.memory_total > 0 ? human_bytes(facts.memory_total) + ", " : "";
  text += line("memory", facts.memory.bytes == UINT64_MAX
                             ? total + "no limit known"
                             : fmt::format("{}of which {} may be taken ({})", total, human_bytes(facts.memory.bytes),
                                           facts.memory.source));
  text += line("disk", fmt::format("{} free in {}", human_bytes(facts.disk_free), printable(facts.folder.string())));
  return text + packages_text(facts);
}

Json facts_json(const MachineFacts& facts, const std::vector<Finding>& findings) {
  Json sets = Json::array(), variables = Json::object(), packages = Json::object(), list = Json::array();
  bool ok = true;
  for (const auto& set : facts.instruction_sets) {
    sets.push_back({{"name", set.name}, {"supported", set.supported}, {"used", set.used}});
  }
  for (const auto& [name, value] : facts.variables) variables[name] = value;
  for (const PackageSection& section : facts.sections) {
    packages[section.name] = {{"packages", section.packages},
                              {"missing", facts.has_dpkg ? Json(section.missing) : Json()}};
  }
  for (const Finding& finding : findings) {
    ok = ok && !finding.problem();
    list.push_back({{"level", finding.problem() ? "problem" : "advice"},
                    {"code", static_cast<int>(finding.code)},
                    {"text", finding.text},
                    {"hint", finding.hint}});
  }
  const bool limited = facts.memory.bytes != UINT64_MAX;
  return {
      {"minnow", MINNOW_VERSION},
      {"compiler", kCompiler},
      {"processor",
       {{"name", facts.processor},
        {"usable", facts.usable},
        {"granted", facts.quota > 0 ? Json(facts.quota) : Json()}}},
      {"instruction_sets", sets},
      {"gemm",
       {{"backend", facts.own_products ? "minnow" : "openblas"},
        {"native_bf16", facts.native_bf16},
        {"right", facts.own_products ? facts.own_products_right : facts.products_right}}},
      {"blas",
       {{"flavour", facts.blas_flavour},
        {"core", facts.blas_core},
        {"config", facts.blas_config},
        {"right", facts.products_right}}},
      {"sentencepiece", has_sentencepiece()},
      {"onednn", {{"description", facts.onednn.empty() ? Json() : Json(facts.onednn)}, {"right", facts.onednn_right}}},
      {"threads", facts.threads},
      {"variables", variables},
      {"memory",
       {{"total", facts.memory_total},
        {"available", limited ? Json(facts.memory.bytes) : Json()},
        {"limit", facts.memory.source}}},
      {"disk", {{"folder", facts.folder.string()}, {"free", facts.disk_free}, {"writable", facts.writable}}},
      {"packages", packages},
      {"findings", list},
      {"ok", ok}};
}

std::string findings_text(const std::vector<Finding>& findings) {
  const bool color = use_color(STDOUT_FILENO);
  std::string text = "\n";
  bool ok = true;
  for (const Finding& finding : findings) {
    ok = ok && !finding.problem();
    const std::string mark =
        finding.problem() ? styled("problem: ", Style::kRed, color) : styled("advice: ", Style::kYellow, color);
    text += fmt::format("{}{}. {}\n", mark, printable(finding.text), printable(finding.hint));
  }
  return text +
         (ok ? styled("minnow can work here.", Style::kGreen, color)
             : styled("minnow cannot work here.", Style::kRed, color)) +
         "\n";
}

int run(const std::string& folder, bool json) {
  const MachineFacts facts =
      look_at_machine(folder.empty() ? std::filesystem::current_path() : std::filesystem::path(folder));
  const std::vector<Finding> findings = diagnose(facts);
  print_result(json ? json_line(facts_json(facts, findings)) : facts_text(facts) + findings_text(findings));
  return findings.empty() ? 0 : static_cast<int>(findings.front().code);
}

Action setup_doctor(Options& options) {
  struct DoctorArguments {
    std::string folder;
    bool json = false;
  };
  const auto arguments = std::make_shared<DoctorArguments>();
  options.argument("DIR", arguments->folder, "Folder in which runs shall be written; without it the present one",
                   false);
  options.flag("--json", arguments->json, "Write JSON to stdout");
  options.footer(
      "Exit codes: 0 minnow can work here, with or without advice; else that of the first problem: 1 wrong results,\n"
      "5 folder or disk, 7 memory. Missing packages are no problem for a program that is built.\n");
  return [arguments] { return run(arguments->folder, arguments->json); };
}

}  // namespace

const Verb kVerbDoctor = {"doctor", "Examine this machine: what it offers, what is missing", "Help", setup_doctor};

}  // namespace minnow::cli
