#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/jobs/views/task.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// "bert/3", split: the name, and the rank or short name of a pod after the slash. "pytorchjob/bert" is a
/// name alone.
struct NameAndRank {
  std::string name, rank = {};
};
NameAndRank split_rank(const std::string& text);

/// A container that runs now, of one rank of a job.
struct RunningRank {
  std::string namespace_name = {}, pod = {}, pod_uid = {}, container = {};
  std::string job = {};
  std::string label = {};                        ///< its short name: "0", "worker-1", "x7f2q"
  std::optional<int> rank = {};                  ///< as in rank_of()
  bool has_input = false, has_terminal = false;  ///< `stdin` and `tty` of its manifest

  /// "bert/0".
  std::string name() const { return job + "/" + label; }
};

/// Error::reason if none runs.
inline constexpr std::string_view kNotRunning = "NotRunning";

/// The ranks that run, the lowest first, each in its newest pod: of one rank if `rank` is not empty (see
/// NameAndRank), of the container of that name, or of the pod's default one. Throws Error (reason
/// kNotRunning) that says in which state the job or the rank is if none runs; usage Error for a rank or
/// container that does not exist.
std::vector<RunningRank> running_ranks(kube::Client& client, const JobOrTask& named, const std::string& rank,
                                       const std::string& container);

}  // namespace kml::jobs
