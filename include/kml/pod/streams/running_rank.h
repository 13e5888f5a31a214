#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/job/views/task.h"
#include "kml/kube/client/client.h"

namespace kml::pod {

/// The parts of "bert/3": the job's name, and after the slash the rank or short name of a pod.
/// "pytorchjob/bert" is only a name.
struct NameAndRank {
  std::string name, rank = {};
};
NameAndRank split_rank(const std::string& text);

/// A running container of a job, with its rank.
struct RunningRank {
  std::string namespace_name = {}, pod = {}, pod_uid = {}, container = {};
  std::string job = {};
  std::string label = {};                        ///< the pod's short name: "0", "worker-1", "x7f2q"
  std::optional<int> rank = {};                  ///< as in rank_of()
  bool has_input = false, has_terminal = false;  ///< `stdin` and `tty` in the container's manifest
  bool input_ends = false;  ///< `stdinOnce`: the container's input ends when the first client's input ends
  std::optional<std::chrono::seconds> idle_limit = {};  ///< the idle limit, if this is a session of `kml dev`

  /// For a served program: the port of its Service, and the port in this pod to which the Service's port
  /// leads; 0 if unknown.
  int service_port = 0, served_port = 0;

  /// The port in this pod for a port that the user names: revisions of a served program may listen on other
  /// ports than its Service, whose port stays the same.
  int port_for(int named) const { return named == service_port && served_port > 0 ? served_port : named; }
  /// "bert/0".
  std::string name() const { return job + "/" + label; }
};

/// The value of Error::reason if no rank is running.
inline constexpr std::string_view kNotRunning = "NotRunning";

/// Sends in advance the requests that find_job_or_task() and then running_ranks() will most probably make,
/// and starts to connect for a session, all at the same time.
[[nodiscard]] std::unique_ptr<kube::Client::AskedAhead> ask_ahead_for_ranks(kube::Client& client,
                                                                            std::string_view namespace_name,
                                                                            std::string_view name);

/// Finds the running ranks, the lowest first, each in its newest pod; only one rank if `rank` is not empty
/// (see NameAndRank). `container` is a container's name, or empty for the pod's default one. Throws Error
/// (reason kNotRunning), with the state of the job or rank, if none is running, and usage Error for a rank or
/// container that does not exist.
std::vector<RunningRank> running_ranks(kube::Client& client, const job::JobOrTask& named,
                                       const std::string& rank, const std::string& container);

}  // namespace kml::pod
