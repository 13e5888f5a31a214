#pragma once

#include <string>

#include "kml/core/json.h"

namespace kml::api {

/// Whether the pod tolerates a v1 Taint (v1.Toleration.ToleratesTaint).
bool tolerates(const Json& pod_spec, const Json& taint);

/// Whether the scheduler minds it: a taint of PreferNoSchedule only makes a node less welcome.
bool keeps_pods_off(const Json& taint);

/// "dedicated=team:NoSchedule", as kubectl and `kml submit --toleration` take it.
std::string taint_text(const Json& taint);

/// The node takes no new pods (spec.unschedulable), unless they tolerate that.
bool is_cordoned(const Json& node);
bool is_cordoned_for(const Json& node, const Json& pod_spec);

}  // namespace kml::api
