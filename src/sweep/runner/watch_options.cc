#include "sweep/runner/watch_options.h"

#include <fmt/format.h>

#include <utility>

#include "kml/base/error.h"
#include "kml/job/records/records.h"
#include "kml/kube/objects/labels.h"

namespace kml::sweep {

namespace {

/// Notes the environment in the record of the sweep. All trials have the same packages, and usually the same
/// environment.
std::function<void(const packages::NamedEnvironment&)> noting_environment(const std::string& sweep) {
  return [sweep, last = std::string()](const packages::NamedEnvironment& named) mutable {
    if (std::exchange(last, named.id) == named.id) return;
    job::RunNotes notes;
    notes.environment = named;
    try {
      job::Submissions::of_user().add_logged("sweep/" + sweep, notes);
    } catch (const Error&) {
      // The sweep does not depend on this note.
    }
  };
}

}  // namespace

engine::WatchOptions watch_options(const SweepRunnerOptions& options) {
  return {.label_selector =
              fmt::format("{}={},{}={}", api::kSweep, options.sweep, api::kSubmitId, options.submit_id),
          .submit_id = options.submit_id,
          .namespace_name = options.namespace_name,
          .taken = {"this sweep", "the job of a trial needs that name", "give the sweep another name"},
          .resource = options.resource,
          .filters = options.collector.filters,
          .metrics = options.metrics,
          .reads_events = options.collector.reads_events,
          .reads_logs = !options.collector.reads_message,
          .is_patient = options.is_patient,
          .are_alike = true,
          .container = options.conditions.container,
          .pod_labels = options.conditions.pod_labels,
          .ends = options.ends,
          .on_retry = options.on_retry,
          .on_environment = noting_environment(options.sweep)};
}

}  // namespace kml::sweep
