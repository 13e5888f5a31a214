#pragma once

#include <string>
#include <vector>

#include "kml/core/json.h"

namespace kml::jobs {

/// Pods alike, of which `count` run at once.
struct PodsWanted {
  Json spec;  ///< v1 PodSpec
  int count = 1;
};

/// What the scheduler would do with a job now.
struct Forecast {
  enum class Verdict { starts, waits, never };
  Verdict verdict = Verdict::starts;
  std::string text;  ///< "would wait for 4 GPUs held by bert"
};

/// Compares requests with the nodes' allocatable resources, less what the active `pods` hold; minds node
/// selectors, required node affinity, taints and cordons. A forecast: it knows no pod affinity, no volumes'
/// places, no quota, and does not count on preemption.
Forecast forecast(const std::vector<PodsWanted>& wanted, const std::vector<Json>& nodes,
                  const std::vector<Json>& pods);

}  // namespace kml::jobs
