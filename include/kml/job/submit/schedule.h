#pragma once

#include "kml/job/spec/timetable.h"
#include "kml/job/submit/submit.h"

namespace kml::job {

/// Replaces the plan's job by a CronJob that creates this job at the times in the timetable. Throws usage
/// Error if the plan is not a single batch/v1 Job, because a CronJob cannot create anything else, or if the
/// job's name is too long for a CronJob.
void put_on_schedule(SubmitPlan& plan, const spec::Timetable& timetable);

}  // namespace kml::job
