#pragma once

#include <span>
#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/base/streams.h"
#include "kml/job/attempts/attempts.h"
#include "kml/job/views/job_view.h"
#include "kml/ui/table.h"

namespace kml::ui {

struct TableOptions {
  bool with_namespace = false;
  bool wide = false;
  bool with_header = true;
  std::string target = {};  ///< flags for the commands in causes, with a space after each: "-n lab "
};

/// The text, with these flags in each command that it names: "`kml -n lab resume bert` starts it".
std::string with_flags(std::string text, const std::string& flags);
/// The same for a text about this job, whose namespace a table of all namespaces names.
std::string with_target(std::string text, const job::JobView& job, const TableOptions& options);

/// Prints the jobs in the given order, which should be oldest first. `gpu_types` are the types of their GPUs,
/// as in `--gpus`, for the wide table.
void print_jobs(const Streams& streams, std::span<const job::JobView> views, const TableOptions& options,
                Time now, std::span<const std::string> gpu_types = {});

/// The kind and name of the job, such as "pytorchjob/bert"; for a Job, only its name.
std::string kind_and_name(const job::JobView& job);
/// How many pods are running or, if the job has ended, how many succeeded: "1/4".
std::string pod_counts(const job::JobView& job);
/// The time since `since`: "3m", or "-" if it is unknown.
std::string age(std::optional<Time> since, Time now);
Style style_of(job::State state);

/// Prints a row for each attempt. Leaves out columns about which nothing is known.
void print_attempts(const Streams& streams, std::span<const job::Attempt> attempts, Time now);

/// The attempts, for programs. If nothing recorded the preemptor of a preempted attempt, its `preemptedBy` is
/// "unknown".
Json to_json(std::span<const job::Attempt> attempts);

}  // namespace kml::ui
