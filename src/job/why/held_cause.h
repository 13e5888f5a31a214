#pragma once

#include <vector>

#include "job/why/facts.h"
#include "job/why/room.h"
#include "kml/base/json.h"
#include "kml/job/why/cause.h"
#include "kml/kube/objects/quantity.h"

namespace kml::job {

/// The cause if other pods hold what a job requests. `specs` are the pods without room beside the `placed`
/// ones, whose requests are already subtracted from `rooms`. `choice` and `requests` are about the first of
/// `specs`.
Cause held_cause(const Facts& facts, const Choice& choice, std::vector<const Json*> specs,
                 std::vector<const Json*> placed, const std::vector<Room>& rooms,
                 const api::Amounts& requests);

}  // namespace kml::job
