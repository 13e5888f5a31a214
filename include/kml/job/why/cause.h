#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/job/views/job_view.h"

namespace kml::job {

/// The consequence of a cause for the job's future.
enum class Outlook {
  none,      ///< nothing is wrong: the job is running, has succeeded, or was cancelled
  starting,  ///< the job will start soon without help
  waits,     ///< the job will start once something is free or exists
  never,     ///< the job cannot start unless something is changed
  failed,    ///< the job has failed
};
/// The name of the outlook: "none", "starting", "waits", "never" or "failed".
std::string_view name_of(Outlook outlook);

/// A resource that is short. Amounts are in thousandths of its unit, as in api::Amounts.
struct Shortfall {
  std::string resource;  ///< the resource, such as "nvidia.com/gpu", a quota's "requests.cpu", or "pods"
  int64_t asked = 0;     ///< the request of one pod, or of all pods if a quota counts them together
  int64_t most = 0;      ///< the maximum: the amount on the largest node, or the quota's limit
  int64_t free = 0;      ///< how much of `most` is free now
  int64_t missing = 0;   ///< how much must be freed before the job can start
};

/// A job, served program or pod that holds the resource for which a job waits, or that has preempted the job.
struct Holder {
  std::string kind;  ///< the holder's kind, such as "Job", "PyTorchJob" or "Pod"
  std::string namespace_name, name;
  std::string user = {};  ///< the user who submitted the job with kml; empty if unknown
  std::optional<long long> priority = {};
  int64_t amount = 0;        ///< how much of the missing resource the holder has, in thousandths
  bool is_stopping = false;  ///< whether all of the holder's pods are being deleted
  bool is_served = false;    ///< whether the holder is a program of `kml serve`
  /// the holder's ClusterQueue, if it is not the job's own but shares quota with it
  std::string queue = {};
};
/// "bert", "pod web-0" or "served program iris".
std::string in_words(const Holder& holder);

/// A possible action.
struct Remedy {
  std::string what;     ///< "free 4 GPUs"
  std::string command;  ///< a command for the shell, such as "kml cancel bert"; may be empty
};
/// The remedy in words: "free 4 GPUs: `kml cancel bert`".
std::string in_words(const Remedy& remedy);

/// Why a job is not running or has failed, or that nothing is wrong. The texts may come from a server or a
/// pod, so they must be cleaned before they are printed to a terminal.
struct Cause {
  CauseCode code = CauseCode::none;
  Outlook outlook = Outlook::none;
  std::string brief;    ///< the cause in a few words, for a table: "out of memory"
  std::string summary;  ///< a sentence with numbers and names, without a period
  std::vector<Shortfall> shortfalls = {};
  std::vector<Holder> holders = {};   ///< the holders, the largest first if their amounts are known
  std::string priority = {};          ///< whether a higher priority or a preemption could help, if known
  std::vector<Remedy> remedies = {};  ///< the remedies, the best first
  /// The job's position among the jobs that wait for a node, from 1; 0 if unknown.
  int position = 0;
  /// the job's place in the order of the waiting jobs, if others are ahead: "number 3 of the 4 jobs that wait
  /// for a node, after bert, gpt". Also at the end of `summary`.
  std::string order = {};
  std::vector<Holder> ahead = {};         ///< the jobs ahead of the waiting one, in order
  std::string object = {};                ///< the object in question: "pod bert-0"; empty for the job itself
  std::string message = {};               ///< the server's message, if there is one
  int pods = 0;                           ///< how many pods are affected; 0 if the job itself is
  std::optional<Time> next_attempt = {};  ///< when the next attempt will start, if known
  std::string failure = {};               ///< the part of `summary` that says how a pod failed
  std::optional<int> exit_code = {};      ///< the exit code of the container that failed
  /// between two attempts: why the last attempt failed, in a few words
  std::string last_failure = {};
};

struct CauseInfo {
  CauseCode code;
  std::string_view text;  ///< the code's text, such as "queue-quota"; stable, so that scripts can compare it
  Outlook outlook;
  std::string_view meaning;
};
/// An entry for each code except `none`, in the order of a job's life.
std::span<const CauseInfo> cause_infos();
/// The stable text, such as "queue-quota"; empty for `none`.
std::string_view text_of(CauseCode code);

/// The cause, judging only by the job and its pods, for tables. `kml why` finds out more (see why.h). Brief
/// objects are enough (see kube::list_briefly).
Cause cause_of(const Json& job, std::span<const Json* const> pods);

/// A cause with the outlook that its code usually has.
Cause make_cause(CauseCode code, std::string brief, std::string summary);

}  // namespace kml::job
