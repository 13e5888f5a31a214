#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kml/base/json.h"

namespace kml::job {

/// Calls `visit` like each_pod_template(), and for a TrainJob with what it says about its pods itself. Its
/// runtime may add more to them.
void each_planned_pod(const Json& object, const std::function<void(const Json& pod, int count)>& visit);

/// The names of the Volcano queues in which the object's pods will be; empty if its pods are not for Volcano,
/// or if it leaves the choice to Volcano.
std::vector<std::string> volcano_queues_of(const Json& object);

}  // namespace kml::job
