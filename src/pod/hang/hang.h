#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/job/views/task.h"
#include "kml/kube/client/client.h"
#include "kml/pod/streams/running_rank.h"
#include "pod/hang/looks.h"

namespace kml::pod {

enum class HangState {
  moves,  ///< the job made progress between the two samples
  quiet,  ///< the job made no progress, but for too short a time to be called stuck
  stuck,
};
/// Why a job hangs, or what it is doing.
enum class HangCause {
  none,
  slow_rank,   ///< some ranks work, and the others wait for them
  checkpoint,  ///< a checkpoint is being written
  compiling,   ///< the first step is being compiled
  stopped,     ///< a process is stopped by a signal or a debugger
  deadlock,    ///< threads or processes in a rank wait for each other
  dead_peer,
  exception,  ///< one rank has failed by itself, not because of another rank
  input_stall,
  mismatch,  ///< the ranks do not take part in the same collective operation
  behind,    ///< one rank does not reach the operation in which the others wait
  unknown,
};
enum class Confidence { low, medium, high };

/// "stuck".
std::string_view name_of(HangState state);
/// "input-stall".
std::string_view name_of(HangCause cause);
std::string_view name_of(Confidence confidence);

struct HangCode {
  HangCause cause;
  std::string_view meaning;  ///< the meaning of the text, for the man page
};
std::span<const HangCode> hang_codes();

/// The answer to "why does the job hang?". Its texts may contain output of a pod.
struct HangVerdict {
  HangState state = HangState::moves;
  HangCause cause = HangCause::none;
  Confidence confidence = Confidence::low;
  std::optional<nanoseconds> still_for = {};  ///< the time since the last step or line of any rank
  std::vector<size_t> ranks = {};             ///< the ranks that are the cause, as indexes of JobLook::ranks
  std::string summary =
      {};  ///< the verdict in a sentence, such as "ranks 0-6 wait in all_reduce; rank 7 does not"
  /// the cause in words, such as "input stall on rank 7"; empty unless the job is stuck
  std::string cause_text = {};
  std::vector<std::string> sources = {};  ///< the sources of the evidence, such as "NCCL RAS" or "stack"
  std::vector<std::string> doing = {};    ///< the activity of each rank in JobLook::ranks, in words
  std::vector<std::string> next = {};     ///< commands to run next, the best first
};

/// Judges only from the observations. A job is not stuck if a step, a line or a count came between the
/// samples. Processor time, input and output also count, unless a rank is stopped, deadlocked, dead or lost.
/// The processor time of ranks that wait in a collective operation is ignored, because NCCL polls.
HangVerdict verdict(const JobLook& look);

/// The path of a rank's own copy of py-spy. Each rank has one, because ranks on the embedded server share
/// /tmp, and each rank removes its copy.
inline std::string py_spy_in(const std::string& beginning, const RunningRank& rank) {
  return beginning + "-" + rank.pod;
}

/// Takes two samples of a running job, the time `between` apart: of the end of the logs, of NCCL's RAS, and
/// of each rank's processes and Python stacks. Processes that do not answer may take ten seconds longer than
/// `between`, and a RAS that does not answer takes some more. Lists in `unseen` what cannot be read. If
/// `py_spy` is not empty, each rank may have a copy of py-spy at py_spy_in(py_spy, rank), which this function
/// removes. Throws Error if no rank is running.
JobLook look_at(kube::Client& client, const job::JobOrTask& named, const std::string& container,
                std::chrono::seconds between, const std::string& py_spy = {});

}  // namespace kml::pod
