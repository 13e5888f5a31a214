#pragma once

#include <string>
#include <vector>

#include "kml/base/files.h"
#include "kml/base/yaml.h"

namespace kml::test {

/// One case of tests/data/pod_fit.yaml.
struct PodFitCase {
  Json node, pod;
  std::string reason;  ///< the expected reason, in the scheduler's words; empty if the pod fits
};

inline std::vector<PodFitCase> pod_fit_cases() {
  constexpr const char* kFile = KML_SOURCE_DIR "/tests/data/pod_fit.yaml";
  const std::vector<yaml::Node> documents = yaml::parse(read_file(kFile), kFile);
  std::vector<PodFitCase> cases;
  for (size_t i = 0; i + 1 < documents.size(); i += 2) {
    PodFitCase item{yaml::to_json(documents[i], kFile), yaml::to_json(documents[i + 1], kFile), {}};
    item.reason = string_at(item.pod, {"metadata", "annotations", "reason"});
    cases.push_back(std::move(item));
  }
  return cases;
}

}  // namespace kml::test
