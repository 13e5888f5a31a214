#include "job/preflight/processors.h"

#include <map>

#include "job/preflight/node_fit.h"
#include "kml/job/views/kinds.h"

namespace kml::job {

std::set<std::string> processors_for(const Json& job, const std::vector<Json>& nodes) {
  std::set<std::string> named, fitting;
  std::vector<PodsWanted> pods;
  each_pod_template(job, [&](const Json& pod, int) {
    pods.push_back({object_at(pod, {"spec"}), 1});
    if (std::string name = string_at(pod, {"spec", "nodeSelector", kProcessorLabel}); !name.empty())
      named.insert(std::move(name));
  });
  if (!named.empty()) return named;
  std::map<std::string, std::vector<Json>> by_processor;
  for (const Json& node : nodes)
    if (const std::string name = string_at(node, {"metadata", "labels", kProcessorLabel}); !name.empty())
      by_processor[name].push_back(node);
  for (const auto& [name, group] : by_processor)
    if (!too_large_for_nodes(pods, group, false)) fitting.insert(name);
  return fitting;
}

}  // namespace kml::job
