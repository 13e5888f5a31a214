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
  moves,  ///< something moved between the two looks
  quiet,  ///< nothing moved, but not for long enough to call it stuck
  stuck,
};
/// Why a job stands still, or what it is busy with.
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

/// The answer to "why does it stand still?". Texts may come from a pod.
struct HangVerdict {
  HangState state = HangState::moves;
  HangCause cause = HangCause::none;
  Confidence confidence = Confidence::low;
  std::optional<nanoseconds> still_for = {};  ///< since the last step or line of any rank
  std::vector<size_t> ranks = {};             ///< the culprits: indexes of JobLook::ranks
  std::string summary = {};                   ///< "ranks 0-6 wait in all_reduce; rank 7 does not"
  std::string cause_text = {};                ///< "input stall on rank 7"; empty if it moves
  std::vector<std::string> sources = {};      ///< "NCCL RAS", "stack"
  std::vector<std::string> doing = {};        ///< what each rank does, in words: parallel to JobLook::ranks
  std::vector<std::string> next = {};         ///< commands, the best first
};

/// Judges from the observations alone. A job is never stuck if a step, a count, processor time, input or
/// output has changed between the looks. Processor time does not count for ranks that wait in a collective
/// operation, because NCCL polls.
HangVerdict verdict(const JobLook& look);

/// The path of a rank's own copy of py-spy: ranks on the embedded server share /tmp, and each removes its
/// copy.
inline std::string py_spy_in(const std::string& beginning, const RunningRank& rank) {
  return beginning + "-" + rank.pod;
}

/// Looks twice at a running job, with `between` in between: at the ends of the logs, at NCCL's RAS, and at
/// the processes and Python stacks of each rank. Takes at most ten seconds longer than `between`. What
/// cannot be seen is listed in `unseen`. If `py_spy` is not empty, each rank has a copy of py-spy at
/// py_spy_in(py_spy, rank); this function removes these copies. Throws Error if no rank runs.
JobLook look_at(kube::Client& client, const job::JobOrTask& named, const std::string& container,
                std::chrono::seconds between, const std::string& py_spy = {});

}  // namespace kml::pod
