#pragma once

#include <map>
#include <string>
#include <vector>

#include "kml/kube/client.h"

namespace kml::jobs {

/// Why trials of a sweep wait: "not enough GPUs free on 6 nodes", by the names of their jobs (of an Indexed
/// Job's: "lr1-8"). `groups` are the jobs of which no pod is known to run, by what they may wait for. Of
/// those of a group that have no pod at all, one is looked into, with at most ten requests, and stands for
/// the others.
std::map<std::string, std::string> waiting_trials(kube::Client& client, const std::string& namespace_name,
                                                  const std::string& sweep,
                                                  const std::vector<std::vector<std::string>>& groups,
                                                  bool is_indexed);

}  // namespace kml::jobs
