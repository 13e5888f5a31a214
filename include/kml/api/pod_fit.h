#pragma once

#include <string>
#include <vector>

#include "kml/api/quantity.h"
#include "kml/core/json.h"

namespace kml::api {

/// Why the scheduler puts the node aside for pods of that v1 PodSpec however empty it is, in its words and in
/// the order of its filters: "node(s) were unschedulable", "node(s) had untolerated taint {gpu: yes}". Empty
/// where it does not.
std::string unsuitable_because(const Json& node, const Json& pod_spec);

bool fits(const Amounts& needed, const Amounts& free);
/// What is short, in the scheduler's words: "Insufficient cpu", "Too many pods".
std::vector<std::string> shortages(const Amounts& needed, const Amounts& free);

}  // namespace kml::api
