#include "job/submit/topology_levels.h"

#include <algorithm>
#include <map>
#include <string>

#include "job/capacity/kueue_api.h"
#include "job/render/trainjob_shape.h"
#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/topology.h"

namespace kml::job {

namespace {

/// Calls `visit` with the short name of a level in each annotation that has one.
template <typename Visit>
void visit_levels(Json& object, const Visit& visit) {
  const auto visit_pod = [&](Json& pod) {
    for (const std::string_view key : {api::kRequiredTopology, api::kPreferredTopology})
      if (const std::string level = api::annotation_of(pod, key);
          !level.empty() && level.find('/') == std::string::npos)
        pod["metadata"]["annotations"][std::string(key)] = visit(level);
  };
  each_pod_template(object, [&](Json& pod, int) { visit_pod(pod); });
  if (api::kind_name(object) == "TrainJob") render::each_patched_pod(object, visit_pod);
}

[[noreturn]] void refuse_level(const std::string& level, std::string why, std::string fix) {
  throw usage_error("--topology " + level + " cannot be used", std::move(why), std::move(fix));
}

/// The node labels of all levels of all Topologies.
std::vector<std::string> labels_of_topologies(kube::Client& client, const std::string& level) try {
  std::vector<std::string> labels;
  for (const Json& topology : client.list(KueueApi(client).topology(), "").items)
    for (const Json& one : array_at(topology, {"spec", "levels"}))
      if (const std::string label = string_at(one, {"nodeLabel"});
          std::find(labels.begin(), labels.end(), label) == labels.end())
        labels.push_back(label);
  return labels;
} catch (const Error& error) {
  if (error.http_status == 404) refuse_level(level, "the cluster does not serve Kueue's Topologies", "");
  if (error.http_status == 403)
    refuse_level(level, "you may not read Kueue's Topologies, which have the label of that level",
                 "give the complete label: --topology example.com/" + level);
  throw;
}

std::string label_of_level(kube::Client& client, const std::string& level) {
  const std::vector<std::string> all = labels_of_topologies(client, level);
  const std::vector<std::string> meant = labels_of_level(all, level);
  if (meant.size() == 1) return meant[0];
  if (meant.empty())
    refuse_level(level, "no Kueue Topology has such a level",
                 all.empty() ? "" : "choose one of " + join(all, ", "));
  refuse_level(level, "several levels have that name", "choose one: " + join(meant, ", "));
}

}  // namespace

std::vector<std::string> labels_of_level(const std::vector<std::string>& labels, const std::string& level) {
  std::vector<std::string> exact, close;
  for (const std::string& label : labels) {
    const std::string last = label.substr(label.rfind('/') + 1);
    if (last == level) exact.push_back(label);
    for (const char separator : {'-', '.', '_'})
      if (last.ends_with(separator + level)) close.push_back(label);
  }
  return exact.empty() ? close : exact;
}

void use_topology_levels(kube::Client& client, std::vector<Json>& objects) {
  std::map<std::string, std::string> known;
  for (Json& object : objects) {
    if (!is_job(object)) continue;
    visit_levels(object, [&](const std::string& level) {
      const auto [entry, is_new] = known.try_emplace(level);
      if (is_new) entry->second = label_of_level(client, level);
      return entry->second;
    });
  }
}

}  // namespace kml::job
