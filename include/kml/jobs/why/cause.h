#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/core/clock.h"
#include "kml/core/json.h"
#include "kml/jobs/views/job_view.h"

namespace kml::jobs {

/// What is to be expected by a cause.
enum class Outlook {
  none,      ///< nothing is wrong: it runs, or it has succeeded
  starting,  ///< by itself, soon
  waits,     ///< not yet: it starts once something is free or there
  never,     ///< not before somebody changes something
  failed,    ///< it has ended badly
};
/// "none", "starting", "waits", "never", "failed".
std::string_view name_of(Outlook outlook);

/// What is short. Amounts are in thousandths of the resource's unit, as in api::Amounts.
struct Shortfall {
  std::string resource;  ///< "nvidia.com/gpu", "requests.cpu" of a quota, "pods"
  int64_t asked = 0;     ///< by one pod, or by all where a quota counts them together
  int64_t most = 0;      ///< that could be had at most: of the largest node, the quota's limit
  int64_t free = 0;      ///< of that, now
  int64_t missing = 0;   ///< until it starts
};

/// Who has what a job waits for, or who took its place.
struct Holder {
  std::string kind;  ///< "Job", "PyTorchJob", "Pod"
  std::string namespace_name, name;
  std::string user = {};  ///< who submitted it with kml; empty where unknown
  std::optional<long long> priority = {};
  int64_t amount = 0;  ///< of the resource that is short, in thousandths
};

/// A way on.
struct Remedy {
  std::string what;     ///< "free 4 GPUs"
  std::string command;  ///< to type: "kml cancel bert"; may be empty
};

/// Why a job does not run, or has failed, or that nothing is wrong. Texts may hold what a server or a pod
/// wrote, and are to be cleaned before a terminal shows them.
struct Cause {
  CauseCode code = CauseCode::none;
  Outlook outlook = Outlook::none;
  std::string brief;    ///< a few words, for a table: "out of memory"
  std::string summary;  ///< a sentence with numbers and names, without a full stop
  std::vector<Shortfall> shortfalls = {};
  std::vector<Holder> holders = {};  ///< who has most first
  std::string priority = {};  ///< whether a priority or preemption could help, where that is a question
  std::vector<Remedy> remedies = {};      ///< the best first
  std::string object = {};                ///< whose fact it is: "pod bert-0"; empty for the job itself
  std::string message = {};               ///< the server's own words, where there are some
  int pods = 0;                           ///< that it holds for; 0 if it is the job's own
  std::optional<Time> next_attempt = {};  ///< when it begins, where the last one failed and that is known
  std::string last_failure = {};          ///< of a job between two attempts, in a few words
};

struct CauseInfo {
  CauseCode code;
  std::string_view text;  ///< "queue-quota": stable, for scripts
  Outlook outlook;
  std::string_view meaning;
};
/// One for each code but `none`, in the order of a job's life.
std::span<const CauseInfo> cause_infos();
/// "queue-quota"; empty for `none`.
std::string_view text_of(CauseCode code);

/// The cause by the job and its pods alone, as a table shows it (`kml why` knows more, see why.h). Objects
/// may be brief ones (see kube::list_briefly).
Cause cause_of(const Json& job, std::span<const Json* const> pods);

/// Why Kueue holds the job back, by its Workload alone; empty if it does not (any more).
std::optional<Cause> cause_in_queue(const Json& job, const Json& workload);

/// With the outlook that the code usually has.
Cause make_cause(CauseCode code, std::string brief, std::string summary);

}  // namespace kml::jobs
