#include <fmt/format.h>

#include <algorithm>

#include "report/html.hpp"
#include "report/human.hpp"
#include "report/sections.hpp"

namespace minnow {
namespace {

constexpr std::size_t kOperationsShown = 15;  // the others are folded away

/// A part of the run's time, for the bar.
struct TimeSlice {
  std::string name;
  double seconds = 0;
};

std::vector<TimeSlice> slices_of(const Profile& profile) {
  const auto steps = static_cast<double>(profile.steps);
  std::vector<TimeSlice> slices;
  for (const char* pass : {"forward", "backward", "optimizer"})
    slices.push_back({pass, steps * profile.pass_seconds(pass)});
  slices.push_back({"between operations", steps * profile.between_seconds()});
  for (const ProfileActivity& one : profile.activities) slices.push_back({one.name, one.seconds});
  slices.push_back({"other", profile.other_seconds()});
  return slices;
}

std::string color_of(std::size_t i) {
  constexpr std::size_t kColors = 8;
  return i < kColors ? fmt::format("var(--c{})", i) : "var(--line)";
}

/// One bar cut in parts, and a legend with the figures.
std::string split_html(const std::vector<TimeSlice>& slices, double whole) {
  std::string bar;
  std::string legend;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const double percent = whole > 0 ? 100 * slices[i].seconds / whole : 0;
    const std::string color = color_of(i);
    bar += fmt::format("<i style=\"width:{:.3f}%;background:{}\" title=\"{}\"></i>", percent, color,
                       html_text(slices[i].name));
    legend += fmt::format("<li><span class=\"swatch\" style=\"background:{}\"></span>{} <b>{:.{}f} %</b></li>\n", color,
                          html_text(slices[i].name), percent, percent < 1 ? 2 : 1);
  }
  return fmt::format("<div class=\"split\" aria-hidden=\"true\">{}</div>\n<ul class=\"parts\">\n{}</ul>\n", bar,
                     legend);
}

std::string part_html(const ProfilePart& part, const Profile& profile) {
  const double share = part.share(profile.roof);
  const double percent = profile.step_seconds > 0 ? 100 * part.seconds / profile.step_seconds : 0;
  return fmt::format(
      "<tr><th scope=\"row\"><span class=\"mono\">{}</span> <span class=\"muted small\">{}</span><br>"
      "<span class=\"muted small\">{}</span></th><td class=\"n\">{:.1f} %</td><td class=\"n\">{:.4g}</td>"
      "<td class=\"n\">{:.1f}</td><td class=\"n\">{:.1f}</td><td class=\"n\">{:.1f}</td>"
      "<td class=\"n\">{:.2f}<span class=\"share\"><i style=\"width:{:.0f}%\"></i></span></td><td>{}</td></tr>\n",
      html_text(part.name), html_text(part.pass), html_text(part.inputs), percent, part.calls, part.seconds * 1e6,
      part.gflops(), part.gb_per_s(), share, 100 * std::clamp(share, 0.0, 1.0), part.bound(profile.roof));
}

std::string parts_table(const Profile& profile, std::size_t first, std::size_t end) {
  std::string head = "<th scope=\"col\">operation</th>";
  for (const char* name : {"of a step", "calls", "µs", "GFLOP/s", "GB/s", "share"})
    head += fmt::format("<th class=\"n\" scope=\"col\">{}</th>", name);
  std::string body;
  for (std::size_t i = first; i < end; ++i) body += part_html(profile.parts[i], profile);
  return table_html("Operations of a training step", head + "<th scope=\"col\">bound</th>", body);
}

std::string roof_text(const Profile& profile) {
  const MachineRoof& roof = profile.roof;
  return fmt::format(
      "<p class=\"muted small\">share: the least time that the machine allows, as a part of the time taken. The "
      "machine: "
      "{:.1f} GFLOP/s in products, {:.1f} GB/s from memory, {:.1f} GB/s for calls that touch less than {}; each the "
      "larger of what was measured alone and what an operation reached. Backward counts twice forward's work.</p>\n",
      roof.gflops, roof.memory_gb_per_s, roof.cache_gb_per_s,
      human_bytes(static_cast<std::uint64_t>(roof.cache_bytes)));
}

}  // namespace

std::string profile_html(const std::optional<Profile>& profile) {
  if (!profile || profile->steps == 0 || profile->step_seconds <= 0) return "";
  const Profile& p = *profile;
  std::string html = fmt::format(
      "<p>{} steps under the profiler: {:.3f} ms each, {} tokens/s, {:.1f} GFLOP/s ({:.0f} % of the machine's "
      "products) "
      "with {} {}, {} by {}.</p>\n",
      p.steps, p.step_seconds * 1e3, human_count(p.tokens_per_step / p.step_seconds),
      p.step_flops() / p.step_seconds / 1e9,
      p.roof.gflops > 0 ? 100 * p.step_flops() / p.step_seconds / 1e9 / p.roof.gflops : 0, p.threads,
      p.threads == 1 ? "thread" : "threads", html_text(p.precision), html_text(p.gemm));
  html += fmt::format("<div class=\"panel\">\n{}</div>\n", split_html(slices_of(p), p.seconds));
  const std::size_t shown = std::min(p.parts.size(), kOperationsShown);
  html += "<p></p>\n" + parts_table(p, 0, shown);
  if (shown < p.parts.size()) {
    html += fmt::format("<details><summary>{} shorter ones</summary>\n{}</details>\n", p.parts.size() - shown,
                        parts_table(p, shown, p.parts.size()));
  }
  return section_html("Where the time went", html + roof_text(p));
}

}  // namespace minnow
