#include "sweep/runner/trial_names.h"

#include "job/submit/job_name.h"

namespace kml::sweep {

void check_trial_names(const SweepSpec& spec) {
  job::check_name_for_job(spec.trial, spec.name, spec.is_indexed ? "" : "-t00042-r10-a10");
}

}  // namespace kml::sweep
