#include "kml/api/pod_fit.h"

#include <fmt/format.h>

#include <algorithm>

#include "kml/api/node_affinity.h"
#include "kml/api/taints.h"

namespace kml::api {

namespace {

bool is_short(const Amounts::value_type& needed, const Amounts& free) {
  const auto there = free.find(needed.first);
  return needed.second > 0 && needed.second > (there == free.end() ? 0 : there->second);
}

}  // namespace

std::string unsuitable_because(const Json& node, const Json& pod_spec) {
  if (is_cordoned_for(node, pod_spec)) return "node(s) were unschedulable";
  for (const Json& taint : array_at(node, {"spec", "taints"}))
    if (keeps_pods_off(taint) && !tolerates(pod_spec, taint))
      return fmt::format("node(s) had untolerated taint {{{}: {}}}", string_at(taint, {"key"}),
                         string_at(taint, {"value"}));
  const bool is_wanted = missing_node_labels(node, pod_spec).empty() && has_node_affinity(node, pod_spec);
  return is_wanted ? "" : "node(s) didn't match Pod's node affinity/selector";
}

bool fits(const Amounts& needed, const Amounts& free) {
  return std::none_of(needed.begin(), needed.end(), [&](const auto& entry) { return is_short(entry, free); });
}

std::vector<std::string> shortages(const Amounts& needed, const Amounts& free) {
  std::vector<std::string> names;
  for (const auto& entry : needed)
    if (is_short(entry, free))
      names.push_back(entry.first == "pods" ? "Too many pods" : "Insufficient " + entry.first);
  return names;
}

}  // namespace kml::api
