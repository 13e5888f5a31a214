#include "kml/kube/objects/dependency.h"

#include <algorithm>

#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::api {

namespace {

constexpr std::pair<Dependency::When, std::string_view> kNames[] = {
    {Dependency::When::ok, "ok"}, {Dependency::When::any, "any"}, {Dependency::When::failed, "failed"}};

/// How a job ended, in words: "succeeded", "failed" or "was cancelled"; empty if it has not ended.
std::string_view end_of(const Json& job) {
  if (condition_is_true(job, "Complete") || condition_is_true(job, "Succeeded")) return "succeeded";
  const bool is_cancelled = !annotation_of(job, kCancelled).empty();
  if (condition_is_true(job, "Failed")) return is_cancelled ? "was cancelled" : "failed";
  return is_cancelled && int_at(job, {"status", "active"}) == 0 ? "was cancelled" : "";
}

}  // namespace

std::string in_words(const Dependency& dependency) {
  if (!dependency.never.empty() && !dependency.is_stuck) return dependency.never;
  using When = Dependency::When;
  return dependency.name + (dependency.when == When::ok       ? " to succeed"
                            : dependency.when == When::failed ? " to fail"
                                                              : " to end");
}

std::string_view name_of(Dependency::When when) {
  return kNames[static_cast<size_t>(when)].second;
}

std::optional<Dependency::When> when_of(std::string_view name) {
  for (const auto& [when, known] : kNames)
    if (known == name) return when;
  return {};
}

std::vector<Dependency> dependencies_of(const Json& job) {
  const Json list = Json::parse(annotation_of(job, kAfter), nullptr, false);
  std::vector<Dependency> dependencies;
  if (!list.is_array()) return dependencies;
  for (const Json& item : list)
    if (const auto when = when_of(string_at(item, {"when"})); when && item.is_object())
      dependencies.push_back({*when, string_at(item, {"kind"}), string_at(item, {"name"}),
                              string_at(item, {"uid"}), string_at(item, {"never"}),
                              bool_at(item, {"stuck"})});
  return dependencies;
}

std::string text_of(const std::vector<Dependency>& dependencies) {
  Json list = Json::array();
  for (const Dependency& one : dependencies) {
    list.push_back({{"when", name_of(one.when)}, {"kind", one.kind}, {"name", one.name}, {"uid", one.uid}});
    if (!one.never.empty()) list.back()["never"] = one.never;
    if (one.is_stuck) list.back()["stuck"] = true;
  }
  return list.dump();
}

bool is_stuck(const Json& job) {
  if (!is_suspended(job) || !annotation_of(job, kCancelled).empty()) return false;
  const std::vector<Dependency> dependencies = dependencies_of(job);
  return std::ranges::any_of(dependencies, [](const Dependency& one) { return !one.never.empty(); });
}

bool is_met(Dependency& dependency, const Json* job) {
  const bool is_there = job && uid_of(*job) == dependency.uid;
  const std::string_view end = is_there ? end_of(*job) : "was deleted";
  if (end.empty()) return false;
  const bool is_well = end == "succeeded";
  if (dependency.when == Dependency::When::any) return true;
  if (end != "was deleted" && (dependency.when == Dependency::When::ok) == is_well) return true;
  dependency.never = dependency.name + " " + std::string(end);
  return false;
}

}  // namespace kml::api
