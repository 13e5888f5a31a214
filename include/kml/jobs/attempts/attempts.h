#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/core/clock.h"
#include "kml/jobs/records/records.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// One pod of a job that has run, or runs.
struct Attempt {
  std::string pod, uid, node;           ///< what is not known is empty
  std::vector<std::string> containers;  ///< of an attempt that recorded_attempts() gives
  std::string index;                    ///< of an indexed job or a replica; may be empty
  std::optional<Time> start, end;
  std::optional<int> exit_code;
  std::optional<long long> number;  ///< where the program itself told of it: which of its run, from 1,
  std::optional<long long> first_step, last_step;  ///< and what it did
  std::string result;                              ///< "Running", "Succeeded", or why it ended
  bool preempted = false;
  std::string preempted_by;  ///< a job; empty where unknown
};

/// Those that the embedded server has recorded, oldest first, whether their pods are there or gone; a cluster
/// has none.
std::vector<Attempt> recorded_attempts(kube::Client& client, const Json& job);

/// All attempts that are still known, oldest first: from the pods that are there and what their logs tell of
/// those before them (trainer/README.md), from the events that the embedded server keeps, and, as to who
/// preempted them, from the run records and the scheduler's events. A name that only an event still tells is
/// recorded.
std::vector<Attempt> attempts_of(kube::Client& client, const Json& job, const RunRecords& records);

/// Of a job that is gone: what a kml that was watching has recorded.
std::vector<Attempt> attempts_on_record(const RunRecords& records, const std::string& run_id,
                                        const std::string& job_key);

}  // namespace kml::jobs
