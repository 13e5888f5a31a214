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
  moves,  ///< there was progress between the two samples
  quiet,  ///< there was no progress, but not for long enough to call the job stuck
  stuck,
};
/// Why a job hangs, or what it is busy with.
enum class HangCause {
  none,
  slow_rank,   ///< some ranks work, the others wait for them
  checkpoint,  ///< a checkpoint is being written
  compiling,   ///< the first step is being compiled
  stopped,     ///< a process is stopped by a signal or a debugger
  deadlock,    ///< threads or processes of a rank wait for each other
  dead_peer,
  exception,  ///< one rank has failed by its own error
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
  std::string_view meaning;  ///< for the manual
};
std::span<const HangCode> hang_codes();

/// The answer to "why does the job hang?". Texts may come from a pod.
struct HangVerdict {
  HangState state = HangState::moves;
  HangCause cause = HangCause::none;
  Confidence confidence = Confidence::low;
  std::optional<nanoseconds> still_for = {};  ///< since the last step or line of any rank
  std::vector<size_t> ranks = {};             ///< the culprits: indexes of JobLook::ranks
  std::string summary = {};                   ///< "ranks 0-6 wait in all_reduce; rank 7 does not"
  std::string cause_text = {};                ///< "input stall on rank 7"; empty if it makes progress
  std::vector<std::string> sources = {};      ///< "NCCL RAS", "stack"
  std::vector<std::string> doing = {};        ///< what each rank does, in words: parallel to JobLook::ranks
  std::vector<std::string> next = {};         ///< commands, the best first
};

/// Judges from the observations alone. A job is never stuck if a step, a count, processor time, input or
/// output has changed between the samples. Processor time of ranks that wait in a collective operation is
/// ignored, because NCCL polls.
HangVerdict verdict(const JobLook& look);

/// The path of a rank's own copy of py-spy: ranks on the embedded server share /tmp, and each removes its
/// copy.
inline std::string py_spy_in(const std::string& beginning, const RunningRank& rank) {
  return beginning + "-" + rank.pod;
}

/// Samples a running job twice, with `between` in between: the ends of the logs, NCCL's RAS, and the
/// processes and Python stacks of each rank. Takes at most ten seconds longer than `between`. What cannot be
/// read is listed in `unseen`. If `py_spy` is not empty, each rank has a copy of py-spy at py_spy_in(py_spy,
/// rank); this function removes these copies. Throws Error if no rank runs.
JobLook look_at(kube::Client& client, const job::JobOrTask& named, const std::string& container,
                std::chrono::seconds between, const std::string& py_spy = {});

}  // namespace kml::pod
