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

/// The state of a rank judging by the end of its log, which is read twice, some seconds apart.
struct LogLook {
  std::string last_line = {};
  /// The time of the last line that does not report waiting, according to the node's clock.
  std::optional<Time> last_at = {};
  std::optional<double> step = {}, step_later = {};
  int new_lines = 0;  ///< how many lines came between the samples, without lines that report waiting
  /// The longest time between two steps; if the log has no steps, between two lines.
  std::optional<nanoseconds> longest_pause = {};
  std::string error = {};   ///< the rank's own error, unless the rank reached another step after the error
  bool is_saving = false;   ///< whether the last line reports that a checkpoint is being written
  bool was_killed = false;  ///< whether the last line is a shell's message about a killed process
};

/// A process in a container in two samples, read from /proc (proc(5)).
struct Process {
  int pid = 0, parent = 0;
  std::string name = {}, command = {};
  char state = 0;         ///< the main thread's state in the later sample: 'R', 'S', 'D', 'T', 't' or 'Z'
  char state_before = 0;  ///< the main thread's state in the earlier sample; 0 if the process is new
  /// the kernel function in which the main thread waits, such as "pipe_read"; may be empty
  std::string wait = {};
  std::string call = {};  ///< the system call, such as "read"; empty if unknown
  /// The file that the process reads or writes: "/data/shard-3", "pipe:[81]" or "socket:[7]".
  std::string file = {};
  double cpu = 0;                   ///< how many processors all its threads used between the samples
  long long read = 0, written = 0;  ///< how many bytes were read and written between the samples
  std::string disk_wait = {};       ///< where another thread waited for a disk in both samples
};

/// A process that waits for another process to unlock a file, from /proc/locks.
struct FileWait {
  int pid = 0, holder = 0;
};

/// A collective operation in the memory of PyTorch's flight recorder.
struct FlightOperation {
  std::string name = {};   ///< "all_reduce"
  std::string sizes = {};  ///< the sizes of the tensors that the rank passes, such as "[[4,2]]"
  /// whether the operation is known to have ended, which is never the case for Gloo's
  bool is_over = false;
};
/// The file that the flight recorder wrote in one process.
struct FlightRecord {
  std::optional<int> rank = {};  ///< the rank in the default process group
  std::chrono::seconds age{0};   ///< how old the file is in the later sample
  /// Operations by process group and number. Numbers start at 1.
  std::map<std::string, std::map<long long, FlightOperation>> groups = {};
};

/// One rank of a job.
struct RankLook {
  std::string label = {};  ///< the short name of its pod: "0" or "worker-1"
  std::optional<int> rank = {};
  std::string pod = {}, node = {};
  std::vector<std::string> addresses = {};  ///< the addresses of its pod and its node
  bool shares_network = false;              ///< whether the pod shares its network with pods of other jobs
  std::optional<Time> started = {};
  bool runs = true;
  /// whether the rank is not running, but its container or a new pod waits to start
  bool starts_again = false;
  int restarts = 0;
  LogLook log = {};
  std::vector<Process> processes = {};  ///< the processes in its container; empty if they could not be read
  std::vector<Stack> stacks = {};
  /// stacks from earlier samples, the earliest first; one for each process and sample
  std::vector<Stack> earlier_stacks = {};
  std::vector<FileWait> file_waits = {};
  std::vector<FlightRecord> flights = {};  ///< the flight records that its processes have written
  std::optional<int> gpu_use = {};         ///< how busy the busiest GPU is, in percent
  /// The inodes of sockets in the pod's network that listen on the port of RAS, and of the sockets that
  /// processes in its container have open.
  std::vector<std::string> ras_sockets = {}, own_sockets = {};

  /// The rank's number, such as "7", or the pod's short name.
  std::string name() const { return rank ? std::to_string(*rank) : label; }
};

/// A rank in an NCCL communicator, as RAS reports it.
struct RasRank {
  enum class State { member, missing, unresponsive, dead };

  int rank = 0;
  State state = State::member;
  std::string host = {};  ///< an IP address; empty if RAS does not report it
  int pid = 0;            ///< the process number in the container; 0 if RAS does not report it
  /// the number of launched operations, such as {"AllReduce", 6650}
  std::map<std::string, long long> counts = {};
};
struct RasCommunicator {
  std::string id = {};  ///< the communicator's hash or hashes, in hexadecimal
  int size = 0;
  std::vector<RasRank> ranks = {};  ///< sorted by rank; the text format leaves out ranks that agree
};
/// A response of NCCL's RAS.
struct RasAnswer {
  std::string version = {};
  std::vector<RasCommunicator> communicators = {};
  std::vector<RasRank> lost = {};  ///< processes that RAS cannot reach; their ranks are unknown (-1)
};

/// Everything that was observed about a job.
struct JobLook {
  std::string job = {};
  Time now = {};                             ///< when the later sample was taken
  std::chrono::seconds between{0};           ///< how much time passed between the two samples
  std::vector<RankLook> ranks = {};          ///< sorted, with the lowest rank first
  std::optional<job::FirstError> died = {};  ///< the first death in the job
  std::optional<RasAnswer> ras = {}, ras_later = {};
  std::vector<std::string> unseen =
      {};  ///< the data that could not be read, and why, as sentences without a period
};

}  // namespace kml::pod
