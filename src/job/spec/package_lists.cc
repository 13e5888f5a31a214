#include "job/spec/package_lists.h"

#include <string>

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

}  // namespace

std::vector<Problem> two_lists_of_packages(std::span<const Setting> settings) {
  std::vector<Problem> problems;
  const Setting* earlier = nullptr;
  for (const Setting& setting : settings) {
    if (!is_list_of_packages(setting)) continue;
    if (earlier && earlier->name != setting.name && have_same_source(earlier->origin, setting.origin))
      problems.push_back(setting.origin.problem("it cannot be used with " + as_typed(*earlier) +
                                                ": a job installs the packages of one list"));
    earlier = &setting;
  }
  return problems;
}

}  // namespace kml::spec
