#pragma once

#include <optional>
#include <vector>

#include "jobs/why/facts.h"
#include "jobs/why/room.h"
#include "kml/jobs/why/cause.h"

namespace kml::jobs {

/// What keeps pods with these specs from the nodes, in numbers and names; empty where all of them have room.
/// Of the facts, only the job itself and the priority classes are looked at. It knows no pod affinity, no
/// ports and no volumes' places.
std::optional<Cause> nodes_cause(const Facts& facts, const std::vector<const Json*>& pod_specs,
                                 std::vector<Room> rooms);

}  // namespace kml::jobs
