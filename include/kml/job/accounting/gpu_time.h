#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/job/attempts/attempts.h"
#include "kml/job/records/records.h"

namespace kml::job {

/// How the time in which a pod ran was spent.
enum class Use {
  well,     ///< the pod succeeded; or it was preempted, its work was kept, and the job succeeded
  lost,     ///< of a preempted or evicted pod: steps that a later pod did again
  unclear,  ///< of a preempted or evicted pod that did not report which steps it completed
  failed,
  stopped,  ///< cancelled, suspended or deleted
  open,     ///< the job has not ended
};
inline constexpr size_t kUses = 6;

/// "well", as in `-o json`.
std::string_view name_of(Use use);

/// A time in which a pod ran and held its GPUs.
struct PodSpan {
  Time start = {}, end = {};
  double gpus = 0;
  Use use = Use::open;
  std::string lane;        ///< the pod's place in the job, which its replacement takes: "bert-worker-1"
  std::string cause = {};  ///< why it ended, or "Running"
  bool disrupted = false;  ///< preempted or evicted
};

/// How many pods the job wanted during a time, and for how many of them a source says whether they ran.
struct CoveredSpan {
  Time start = {}, end = {};
  double wanted = 0, known = 0;
};

/// The GPU time of one job.
struct JobAccount {
  std::string key;  ///< disruption_key()
  std::string name, namespace_name, context;
  std::string user, queue, project;  ///< empty if it has none
  std::string gpu_type;              ///< as in gpu_type_of_pod(); "any", or "none" without GPUs
  std::string state;                 ///< as name_of(State), or "Unknown"
  Time created = {};
  std::optional<Time> finished = {};
  std::optional<Time> suspended = {};  ///< since when, if it is suspended now
  int pods = 0;                        ///< at the same time
  double gpus = 0;                     ///< of all these pods
  std::vector<PodSpan> spans = {};     ///< by lane and start
  std::vector<CoveredSpan> covered = {};
  int disruptions = 0;  ///< pods that were preempted or evicted

  /// The share of the time that the sources cover. Empty if no time has passed.
  std::optional<double> share_covered() const;
  /// Whether only its submit is on record.
  bool is_unknown() const { return spans.empty() && share_covered().value_or(1) == 0; }
};

/// The account of a job that exists. `pods` and `attempts` are its own. `keeps_all` means that the server
/// keeps every attempt as long as the job exists, as the embedded server does. A cluster keeps neither
/// deleted pods nor their times: there, a time is covered while a known pod existed, or while the job is
/// suspended.
JobAccount account_of(const Json& job, std::span<const Json* const> pods,
                      const std::vector<Attempt>& attempts, bool keeps_all, Time now);

/// The account of a job that no longer exists, if only its submit is on record. Nothing is known about the
/// time between its submit and its end, or until `now` if its end is unknown.
JobAccount account_of_record(const Submission& run, const Json& job, Time now);

Json to_json(const JobAccount& account);
JobAccount account_from_json(const Json& json);

}  // namespace kml::job
