#include "job/spec/conflicts.h"

#include <map>
#include <string>
#include <utility>

#include "job/spec/values.h"

namespace kml::spec {

namespace {

constexpr const char* kSharedMemory = "/dev/shm";

/// What the setting decides, of which there can be only one: a path in the container, or a label of the node;
/// empty for any other setting.
std::string subject_of(const Setting& setting) {
  if (setting.name == "shm") return std::string("path ") + kSharedMemory;
  if (setting.name == "node-selector") return "label " + setting.value.substr(0, setting.value.find('='));
  if (setting.name != "mount") return {};
  const auto mount = parse_mount(setting.value);
  return std::holds_alternative<Mount>(mount) ? "path " + std::get<Mount>(mount).path : "";
}

std::string as_given(const Setting& setting) {
  return (setting.origin.source == Source::flag ? "--" : "") + setting.name + " " + setting.value;
}

}  // namespace

std::vector<Problem> conflicts_in(std::span<const Setting> settings) {
  std::vector<Problem> problems;
  std::map<std::string, const Setting*> earlier;
  for (const Setting& setting : settings) {
    const std::string subject = subject_of(setting);
    if (subject.empty()) continue;
    const Setting*& other = earlier[subject];
    const bool is_new_value = other && (other->name != setting.name || other->value != setting.value);
    const bool may_override = setting.name == "shm" && other && other->name == "shm";
    if (is_new_value && !may_override && have_same_source(other->origin, setting.origin) &&
        !setting.origin.name.empty())
      problems.push_back(setting.origin.problem(subject + " already has another value: " + as_given(*other)));
    other = &setting;
  }
  return problems;
}

}  // namespace kml::spec
