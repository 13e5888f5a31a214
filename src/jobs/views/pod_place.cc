#include "jobs/views/pod_place.h"

#include <algorithm>

#include "kml/api/labels.h"
#include "kml/core/number.h"
#include "kml/jobs/views/kinds.h"

namespace kml::jobs {

namespace {

bool has_master(const Json& job) {
  return find(job, {"spec", "pytorchReplicaSpecs", "Master"}) != nullptr;
}

}  // namespace

std::string short_pod_name(const Json& pod, std::string_view job_name) {
  const Json& labels = object_at(pod, {"metadata", "labels"});
  std::string index = string_at(labels, {api::kCompletionIndex});
  if (std::string type = string_at(labels, {api::kReplicatedJobName}); !type.empty())
    return type + "-" + string_at(labels, {api::kJobIndex}) + (index.empty() ? "" : "-" + index);
  if (std::string type = string_at(labels, {api::kReplicaType}); !type.empty())
    return type + "-" + string_at(labels, {api::kReplicaIndex});
  if (!index.empty()) return index;
  std::string name = string_at(pod, {"metadata", "name"});
  if (name.starts_with(std::string(job_name) + "-")) return name.substr(job_name.size() + 1);
  return name;
}

std::optional<int> rank_of(const Json& pod, const Json* job) {
  const Json& labels = object_at(pod, {"metadata", "labels"});
  if (const std::string type = string_at(labels, {api::kReplicaType}); !type.empty()) {
    auto rank = whole_number(string_at(labels, {api::kReplicaIndex}));
    if (rank && type == "worker" && (!job || has_master(*job))) ++*rank;
    return rank;
  }
  if (const std::string index = string_at(labels, {api::kCompletionIndex}); !index.empty())
    return whole_number(index);
  if (!job) return {};
  int pods = 0;
  each_pod_template(*job, [&pods](const Json&, int count) { pods += count; });
  return pods == 1 ? std::optional(0) : std::nullopt;
}

int Attempts::number_of(const std::string& place, const std::string& uid) {
  std::vector<std::string>& uids = uids_[place];
  auto found = std::find(uids.begin(), uids.end(), uid);
  if (found == uids.end()) found = uids.insert(uids.end(), uid);
  return static_cast<int>(found - uids.begin()) + 1;
}

}  // namespace kml::jobs
