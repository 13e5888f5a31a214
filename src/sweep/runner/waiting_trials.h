#pragma once

#include <map>
#include <string>
#include <vector>

#include "kml/kube/client/client.h"

namespace kml::sweep {

/// Why trials of a sweep wait, by the names of their jobs ("lr1-8" for an index of an Indexed Job): "not
/// enough GPUs free on 6 nodes". `groups` are the jobs without a known running pod, grouped by what they may
/// wait for. Of the jobs in a group that have no pod at all, this examines one, with at most ten requests,
/// and returns its cause for all of them.
std::map<std::string, std::string> waiting_trials(kube::Client& client, const std::string& namespace_name,
                                                  const std::string& sweep,
                                                  const std::vector<std::vector<std::string>>& groups,
                                                  bool is_indexed);

}  // namespace kml::sweep
