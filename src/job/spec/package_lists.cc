#include "job/spec/package_lists.h"

#include <string>
#include <utility>

namespace kml::spec {

namespace {

bool is_list_of_packages(const Setting& setting) {
  return setting.name == "requirements" || setting.name == "conda" ||
         (setting.name == "uv" && setting.value != "false");
}

/// "--uv" on the command line, "uv" in kml.yaml.
std::string as_typed(const Setting& setting) {
  return (setting.origin.source == Source::flag ? "--" : "") + setting.name;
}

/// Why the two settings of one source cannot be used together; empty if they can.
std::string conflict(const Setting& earlier, const Setting& later) {
  if (earlier.name == later.name && (earlier.name == "uv" || earlier.value == later.value)) return {};
  const bool is_included = earlier.name == "requirements" && later.name == "requirements";
  const std::string with = as_typed(earlier) + (earlier.name == later.name ? " " + earlier.value : "");
  return "it cannot be used with " + with + ": a job installs the packages of one list" +
         (is_included ? ", which may include others by lines such as \"-r FILE\"" : "");
}

}  // namespace

std::vector<Problem> two_lists_of_packages(std::span<const Setting> settings) {
  std::vector<Problem> problems;
  const Setting* earlier = nullptr;
  for (const Setting& setting : settings) {
    if (!is_list_of_packages(setting)) continue;
    if (earlier && have_same_source(earlier->origin, setting.origin))
      if (std::string why = conflict(*earlier, setting); !why.empty())
        problems.push_back(setting.origin.problem(std::move(why)));
    earlier = &setting;
  }
  return problems;
}

}  // namespace kml::spec
