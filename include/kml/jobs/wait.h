#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "kml/jobs/interrupt.h"
#include "kml/jobs/job_view.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// Waits until each of the jobs (of one namespace) has ended, with one watch a kind; calls `on_end` for each
/// as it does. A job that is deleted meanwhile counts as cancelled. Throws Error (unreachable) at the
/// timeout.
void wait_for_end(kube::Client& client, const std::vector<Json>& jobs,
                  std::optional<std::chrono::seconds> timeout, const Interrupt& interrupt,
                  const std::function<void(const Json& job, const JobView&)>& on_end);

}  // namespace kml::jobs
