#pragma once

#include <map>
#include <string>

#include "kml/kube/client.h"

namespace kml::jobs {

/// Why trials of a sweep wait that have a pod which waits: "not enough GPUs free on 6 nodes", by the names of
/// their jobs (of an Indexed Job's: "lr1-8").
std::map<std::string, std::string> waiting_trials(kube::Client& client, const std::string& namespace_name,
                                                  const std::string& sweep);

}  // namespace kml::jobs
