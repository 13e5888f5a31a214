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

/// The effect of a cause on the job's future.
enum class Outlook {
  none,      ///< nothing is wrong: the job is running or has succeeded
  starting,  ///< the job starts soon without action
  waits,     ///< the job starts once something is free or exists
  never,     ///< the job cannot start unless something is changed
  failed,    ///< the job has failed
};
/// "none", "starting", "waits", "never", "failed".
std::string_view name_of(Outlook outlook);

/// A resource that is short. Amounts are in thousandths of its unit, as in api::Amounts.
struct Shortfall {
  std::string resource;  ///< "nvidia.com/gpu", "requests.cpu" of a quota, "pods"
  int64_t asked = 0;     ///< requested by one pod, or by all if a quota counts them together
  int64_t most = 0;      ///< the maximum: of the largest node, or the quota's limit
  int64_t free = 0;      ///< how much of `most` is free now
  int64_t missing = 0;   ///< how much must become free before the job starts
};

/// A job or pod that holds the resource that a job waits for, or that preempted the job.
struct Holder {
  std::string kind;  ///< "Job", "PyTorchJob", "Pod"
  std::string namespace_name, name;
  std::string user = {};  ///< who submitted it with kml; empty if unknown
  std::optional<long long> priority = {};
  int64_t amount = 0;  ///< of the resource that is short, in thousandths
};

/// A possible action.
struct Remedy {
  std::string what;     ///< "free 4 GPUs"
  std::string command;  ///< for the shell: "kml cancel bert"; may be empty
};
/// "free 4 GPUs: `kml cancel bert`".
std::string in_words(const Remedy& remedy);

/// Why a job does not run or has failed, or that nothing is wrong. Texts may come from a server or a pod:
/// clean them before printing to a terminal.
struct Cause {
  CauseCode code = CauseCode::none;
  Outlook outlook = Outlook::none;
  std::string brief;    ///< a few words, for a table: "out of memory"
  std::string summary;  ///< a sentence with numbers and names, without a full stop
  std::vector<Shortfall> shortfalls = {};
  std::vector<Holder> holders = {};   ///< the largest first
  std::string priority = {};          ///< whether a higher priority or preemption could help, if known
  std::vector<Remedy> remedies = {};  ///< the best first
  /// Its position among the waiting jobs that could take what it waits for, from 1; 0 if unknown.
  int position = 0;
  std::vector<Holder> ahead = {};         ///< the jobs before it, the first one first
  std::string object = {};                ///< the object concerned: "pod bert-0"; empty for the job itself
  std::string message = {};               ///< the server's message, if any
  int pods = 0;                           ///< number of pods concerned; 0 if it concerns the job
  std::optional<Time> next_attempt = {};  ///< when the next attempt starts, if known
  std::string failure = {};               ///< the part of `summary` that says how a pod failed
  std::string last_failure = {};          ///< between two attempts: why the last one failed, in a few words
};

struct CauseInfo {
  CauseCode code;
  std::string_view text;  ///< "queue-quota": stable, for scripts
  Outlook outlook;
  std::string_view meaning;
};
/// One for each code except `none`, in the order of a job's life.
std::span<const CauseInfo> cause_infos();
/// "queue-quota"; empty for `none`.
std::string_view text_of(CauseCode code);

/// The cause from only the job and its pods, for tables. `kml why` finds more (see why.h). Brief objects
/// suffice (see kube::list_briefly).
Cause cause_of(const Json& job, std::span<const Json* const> pods);

/// A cause with the usual outlook of its code.
Cause make_cause(CauseCode code, std::string brief, std::string summary);

}  // namespace kml::job
