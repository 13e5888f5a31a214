#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/base/streams.h"
#include "kml/job/capacity/capacity.h"
#include "kml/job/first_error/first_error.h"
#include "kml/job/views/task.h"
#include "kml/job/why/why.h"

namespace kml::ui {

/// Prints which of the job's pods died first, how and when it died, and its last lines, as text or as a JSON
/// object.
void print_first_error(const Streams& streams, const Json& job, const job::FirstError& first, bool as_json);

/// The facts that a status shows in addition to the job.
struct StatusExtras {
  bool all_events = false;
  job::PodUsage usage = {};        ///< the usage of the running pods
  const Json* workload = nullptr;  ///< the job's Kueue Workload
  bool lacks_kueue = false;        ///< the cluster certainly does not have Kueue
  /// completes the view of a job whose pods do not show whether it ever ran
  std::function<void(const Json& job, job::JobView& view)> add_earlier_run = {};
  std::string target = {};  ///< flags for the commands in the report, with a space after each: "-n lab "
};

/// Prints the status of one job or task. `pods` are its pods. `events` are the events of the job, or of the
/// task's last pod; only the ten newest are shown unless `all_events` is set.
void print_status(const Streams& streams, const job::JobOrTask& named, std::span<const Json* const> pods,
                  std::vector<Json> events, Time now, const StatusExtras& extras = {});

/// Prints the verdict about a job as text, with the last lines of the pod that died first.
void print_verdict(const Streams& streams, const job::Verdict& verdict,
                   const std::optional<job::FirstError>& first = {});

/// The verdict for `-o json|yaml`, with amounts in the units of the resources.
Json to_json(const job::Verdict& verdict, const std::optional<job::FirstError>& first = {});

}  // namespace kml::ui
