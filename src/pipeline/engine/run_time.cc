#include "pipeline/engine/run_time.h"

namespace kml::pipeline {

std::string scheduled_text(const record::Run& run, Time began) {
  return run.scheduled.empty() ? rfc3339(began) : run.scheduled;
}

Json keyed_values(const record::Run& run, Time began) {
  Json values = run.params;
  values["run.scheduled"] = scheduled_text(run, began);
  return values;
}

}  // namespace kml::pipeline
