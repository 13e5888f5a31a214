#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/clock.h"
#include "kml/job/first_error/first_error.h"
#include "pod/hang/stacks.h"

namespace kml::pod {

/// The state of a rank according to the tail of its log, read twice, some seconds apart.
struct LogLook {
  std::string last_line = {};
  /// The time of the last line that does not report waiting, by the node's clock.
  std::optional<Time> last_at = {};
  std::optional<double> step = {}, step_later = {};
  int new_lines = 0;  ///< between the samples; without those that report waiting
  /// The longest time between two steps, or between two lines if the log has no steps.
  std::optional<nanoseconds> longest_pause = {};
  std::string error = {};   ///< its own error, if no later step follows
  bool is_saving = false;   ///< the last line reports that a checkpoint is being written
  bool was_killed = false;  ///< the last line is a shell's about a killed process
};

/// A process in a container, from /proc (proc(5)), in two samples.
struct Process {
  int pid = 0, parent = 0;
  std::string name = {}, command = {};
  char state = 0;         ///< of its main thread: 'R', 'S', 'D', 'T', 't', 'Z'; in the later sample
  char state_before = 0;  ///< in the earlier sample; 0 if it is new
  std::string wait = {};  ///< the kernel function in which its main thread waits: "pipe_read"; may be empty
  std::string call = {};  ///< the system call: "read"; empty if unknown
  std::string file = {};  ///< what it reads or writes: "/data/shard-3", "pipe:[81]", "socket:[7]"
  double cpu = 0;         ///< processors used between the samples, by all its threads
  long long read = 0, written = 0;  ///< bytes between the samples
  std::string disk_wait = {};       ///< the place where another thread waited for a disk in both samples
};

/// A process that waits until another unlocks a file, from /proc/locks.
struct FileWait {
  int pid = 0, holder = 0;
};

/// A collective operation that PyTorch's flight recorder has kept.
struct FlightOperation {
  std::string name = {};   ///< "all_reduce"
  std::string sizes = {};  ///< of the tensors that the rank gives: "[[4,2]]"
  bool is_over = false;    ///< it is known to have ended; Gloo's operations never are
};
/// The file that the flight recorder of one process has written.
struct FlightRecord {
  std::optional<int> rank = {};  ///< in the default process group
  std::chrono::seconds age{0};   ///< of the file, at the later look
  /// By process group and number; numbers start at 1.
  std::map<std::string, std::map<long long, FlightOperation>> groups = {};
};

/// One rank of a job.
struct RankLook {
  std::string label = {};  ///< its pod's short name: "0", "worker-1"
  std::optional<int> rank = {};
  std::string pod = {}, node = {};
  std::vector<std::string> addresses = {};  ///< of the pod and its node
  bool shares_network = false;              ///< with pods of other jobs
  std::optional<Time> started = {};
  bool runs = true;
  bool starts_again = false;  ///< not running, and its container or a new pod of the rank waits to start
  int restarts = 0;
  LogLook log = {};
  std::vector<Process> processes = {};  ///< of its container; empty if they could not be seen
  std::vector<Stack> stacks = {};
  std::vector<Stack> earlier_stacks = {};  ///< one for each process and earlier sample, the earliest first
  std::vector<FileWait> file_waits = {};
  std::vector<FlightRecord> flights = {};  ///< of those of its processes that have written one
  std::optional<int> gpu_use = {};         ///< percent, of the busiest GPU
  /// The sockets in the pod's network that listen on RAS's port, by inode, and those that a process of its
  /// container has open.
  std::vector<std::string> ras_sockets = {}, own_sockets = {};

  /// "7", or the pod's short name.
  std::string name() const { return rank ? std::to_string(*rank) : label; }
};

/// A rank of an NCCL communicator, as RAS reports it.
struct RasRank {
  enum class State { member, missing, unresponsive, dead };

  int rank = 0;
  State state = State::member;
  std::string host = {};  ///< an IP address; empty if RAS does not name it
  int pid = 0;            ///< in the container's own numbering; 0 if RAS does not name it
  std::map<std::string, long long> counts = {};  ///< launched operations: {"AllReduce", 6650}
};
struct RasCommunicator {
  std::string id = {};  ///< its hash, in hexadecimal
  int size = 0;
  std::vector<RasRank> ranks = {};  ///< by rank; the text format leaves out those that agree
};
/// One answer of NCCL's RAS.
struct RasAnswer {
  std::string version = {};
  std::vector<RasCommunicator> communicators = {};
  std::vector<RasRank> lost = {};  ///< processes that RAS cannot reach; their rank is not known (-1)
};

/// Everything that was observed about a job.
struct JobLook {
  std::string job = {};
  Time now = {};                             ///< the time of the later sample
  std::chrono::seconds between{0};           ///< the time between the two samples
  std::vector<RankLook> ranks = {};          ///< the lowest first
  std::optional<job::FirstError> died = {};  ///< the first death in the job
  std::optional<RasAnswer> ras = {}, ras_later = {};
  std::vector<std::string> unseen = {};  ///< what could not be read, and why: sentences without a full stop
};

}  // namespace kml::pod
