#include "sweep/runner/trial_names.h"

#include "job/submit/job_name.h"

namespace kml::jobs {

void check_trial_names(const sweep::SweepSpec& spec) {
  check_name_for_job(spec.trial, spec.name, spec.is_indexed ? "" : "-t00042-r1-a0");
}

}  // namespace kml::jobs
