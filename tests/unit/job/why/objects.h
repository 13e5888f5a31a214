#pragma once

#include <doctest/doctest.h>

#include <deque>
#include <string>
#include <vector>

#include "job/why/causes.h"
#include "job/why/facts.h"
#include "kml/base/json.h"
#include "support/owner.h"

namespace kml::job {

/// The text of a code in a failed CHECK.
inline doctest::String toString(CauseCode code) {
  return std::string(text_of(code)).c_str();
}

}  // namespace kml::job

namespace kml::test {

using job::CauseCode;

inline Json make_job(const std::string& name = "bert", int gpus = 0) {
  Json object = parse_json(R"({"apiVersion": "batch/v1", "kind": "Job",
    "metadata": {"namespace": "lab", "uid": "job-uid", "creationTimestamp": "2026-01-01T00:00:00Z"},
    "spec": {"parallelism": 1, "template": {"spec": {"containers": [{"name": "main", "image": "img:1"}]}}}})",
                           "job");
  object["metadata"]["name"] = name;
  if (gpus > 0)
    object["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] =
        std::to_string(gpus);
  return object;
}

/// A pod of that job that has no node.
inline Json make_pod(const Json& of, const std::string& suffix = "0") {
  Json object = {{"apiVersion", "v1"}, {"kind", "Pod"}, {"spec", of["spec"]["template"]["spec"]}};
  object["metadata"] = {{"name", of["metadata"]["name"].get<std::string>() + "-" + suffix},
                        {"namespace", "lab"},
                        {"uid", "uid-" + of["metadata"]["name"].get<std::string>() + "-" + suffix},
                        {"ownerReferences", controlled_by(of["metadata"]["name"], "job-uid")}};
  object["status"]["phase"] = "Pending";
  return object;
}

inline Json unschedulable(Json pod, const std::string& message, const std::string& reason = "Unschedulable") {
  pod["status"]["conditions"] = Json::array(
      {{{"type", "PodScheduled"}, {"status", "False"}, {"reason", reason}, {"message", message}}});
  return pod;
}

inline Json on_node(Json pod, const std::string& node, const std::string& phase = "Running") {
  pod["spec"]["nodeName"] = node;
  pod["status"]["phase"] = phase;
  return pod;
}

inline Json waiting(Json pod, const std::string& reason, const std::string& message = "") {
  pod = on_node(pod, "node1", "Pending");
  pod["status"]["containerStatuses"] =
      Json::array({{{"name", "main"},
                    {"image", "img:1"},
                    {"state", {{"waiting", {{"reason", reason}, {"message", message}}}}}}});
  return pod;
}

inline Json node(const std::string& name, int gpus, const Json& spec = Json::object(),
                 const Json& labels = Json::object()) {
  return {
      {"metadata", {{"name", name}, {"labels", labels}}},
      {"spec", spec},
      {"status",
       {{"allocatable",
         {{"cpu", "16"}, {"memory", "64Gi"}, {"pods", "110"}, {"nvidia.com/gpu", std::to_string(gpus)}}}}}};
}

inline Json event(const Json& about, const std::string& reason, const std::string& message,
                  const std::string& time = "2026-01-01T00:01:00Z") {
  return {{"involvedObject", {{"uid", about["metadata"]["uid"]}}},
          {"reason", reason},
          {"message", message},
          {"lastTimestamp", time}};
}

inline Json with_condition(Json object, const std::string& type, const std::string& reason,
                           const std::string& message = "") {
  object["status"]["conditions"].push_back(
      {{"type", type}, {"status", "True"}, {"reason", reason}, {"message", message}});
  return object;
}

/// Facts that own the job's pods.
struct Known {
  explicit Known(Json of, std::vector<Json> own = {}) : job(std::move(of)), pods(std::move(own)) {
    for (const Json& pod : pods) pointers.push_back(&pod);
    facts.pods = pointers;
    facts.now = *parse_rfc3339("2026-01-01T02:00:00Z");
  }
  Known(const Known&) = delete;
  job::Cause cause() const { return job::causes_of(facts)[0]; }

  Json job;
  std::vector<Json> pods;
  std::vector<const Json*> pointers;
  job::Facts facts{.job = job};
};

}  // namespace kml::test
