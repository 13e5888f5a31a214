#pragma once

#include <vector>

#include "job/why/facts.h"
#include "job/why/room.h"
#include "kml/base/json.h"
#include "kml/job/why/cause.h"
#include "kml/kube/objects/quantity.h"

namespace kml::job {

/// The cause if other pods hold what a job requests. `placed` are the job's waiting pods that have room;
/// their requests are already subtracted from `rooms`. `specs` are the waiting pods without room. `choice`
/// and `requests` belong to the first of `specs`.
Cause held_cause(const Facts& facts, const Choice& choice, std::vector<const Json*> specs,
                 std::vector<const Json*> placed, const std::vector<Room>& rooms,
                 const api::Amounts& requests);

}  // namespace kml::job
