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

/// The use of the time in which a pod ran.
enum class Use {
  well,  ///< the pod succeeded, or it was preempted or evicted, but its work was kept and the job succeeded
  lost,  ///< steps of a preempted or evicted pod that a later pod had to repeat
  unclear,  ///< time of a preempted or evicted pod, if it is unknown which of its steps were repeated
  failed,
  stopped,  ///< the job was cancelled or suspended, or the pod was cancelled or deleted
  open,     ///< the pod has not ended, or its work was kept and the job has not ended
};
inline constexpr size_t kUses = 6;

/// The name as in `-o json`, such as "well".
std::string_view name_of(Use use);

/// A time during which a pod ran and held its GPUs.
struct PodSpan {
  Time start = {}, end = {};
  double gpus = 0;
  Use use = Use::open;
  /// the pod's place in the job, such as "bert-worker-1"; a replacement takes the same place if the job's
  /// pods have indexes
  std::string lane;
  std::string cause = {};  ///< why the pod ended, or "Running"
  bool disrupted = false;  ///< whether the pod was preempted or evicted
};

/// How many pods the job wanted during a time, and for how many of them the sources show whether they ran.
struct CoveredSpan {
  Time start = {}, end = {};
  double wanted = 0, known = 0;
};

/// The GPU time of one job.
struct JobAccount {
  std::string key;  ///< disruption_key()
  std::string name, namespace_name, context;
  std::string user, queue, project;  ///< the job's user, queue and project; empty if the job has none
  std::string gpu_type;  ///< the type that the job asks for, or got from its choice; "any" if it names none,
                         ///< "none" without GPUs
  std::string state;     ///< the job's state, as name_of(State) writes it, or "Unknown"
  Time created = {};
  std::string submitted = {};  ///< as in JobView: orders jobs that were created in the same second
  std::optional<Time> finished = {};
  std::optional<Time> suspended = {};  ///< the start of the suspension, if the job is suspended
  int pods = 0;                        ///< how many pods run at the same time
  double gpus = 0;                     ///< the GPUs of all these pods together
  std::vector<PodSpan> spans = {};     ///< sorted by the pods' places in the job, then by start
  std::vector<CoveredSpan> covered = {};
  int disruptions = 0;  ///< how many pods were preempted or evicted

  /// Which share of the time the sources cover. Empty if no time has passed.
  std::optional<double> share_covered() const;
  /// Whether the job has left the queue, but the sources show nothing about its time.
  bool is_unknown() const;
};

/// Whether `a` was created before `b`, see is_older() of JobViews.
bool is_older(const JobAccount& a, const JobAccount& b);

/// The account of a job that exists. `pods` and `attempts` are the job's own. `keeps_all` means that the
/// server keeps all attempts for as long as the job exists, as the embedded server does. A cluster keeps
/// neither deleted pods nor their times. On a cluster, a time is covered if a known pod existed, if the job
/// was suspended, or if the job was not admitted according to `workload`, its Kueue Workload.
JobAccount account_of(const Json& job, std::span<const Json* const> pods,
                      const std::vector<Attempt>& attempts, bool keeps_all, Time now,
                      const Json* workload = nullptr);

/// The account of a job that no longer exists, if only its run record is left. Nothing is known about the
/// time from its submit until its end, or until `now` if its end is unknown.
JobAccount account_of_record(const Submission& run, const Json& job, Time now);

Json to_json(const JobAccount& account);
JobAccount account_from_json(const Json& json);

}  // namespace kml::job
