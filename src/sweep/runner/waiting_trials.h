#pragma once

#include <map>
#include <string>
#include <vector>

#include "kml/kube/client/client.h"

namespace kml::sweep {

/// Why trials of a sweep are waiting, such as "not enough GPUs free on 6 nodes", by the names of their jobs
/// ("lr1-8" for an index of an Indexed Job). `groups` are the jobs without a known running pod, grouped by
/// what they may wait for. In each group, examines only one job without pods, because that takes several
/// requests. All other jobs without pods in the group get the same cause.
std::map<std::string, std::string> waiting_trials(kube::Client& client, const std::string& namespace_name,
                                                  const std::string& sweep,
                                                  const std::vector<std::vector<std::string>>& groups,
                                                  bool is_indexed);

}  // namespace kml::sweep
