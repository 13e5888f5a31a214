#pragma once

#include "kml/base/json.h"
#include "kml/job/views/job_view.h"

namespace kml::ui {

/// The data that a table shows about a job, as a short JSON object for scripts and agents.
Json brief_json(const job::JobView& job);

}  // namespace kml::ui
