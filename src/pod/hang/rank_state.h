#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pod/hang/looks.h"

namespace kml::pod {

/// The activity of a rank. If a rank has several processes, it is the first of these that applies to one.
enum class Doing {
  stopped,
  works,
  input,       ///< waits for a file, a pipe or a disk
  asleep,      ///< sleeps for a time
  collective,  ///< waits in a collective operation
  network,
  waits,  ///< for a thread or a child
  gone,   ///< its program has ended, but the container runs
  unknown,
};

struct RankState {
  Doing doing = Doing::unknown;
  std::string where = {};   ///< in words: "DataLoader.__next__ data.py:88, nfs_wait_bit_killable"
  std::string always = {};  ///< "train() at t.py:3-9": the function that it was in at each sample; empty if
                            ///< there were several, or for one sample
  std::string operation = {};  ///< of a collective: "all_reduce"
  bool is_by_stack = false;    ///< known from a Python stack
  bool is_saving = false, is_compiling = false;
};

RankState rank_state(const RankLook& rank);

/// The processes that do the rank's work: not the shells and launchers that wait for them, nor the processes
/// that they have started.
std::vector<const Process*> main_processes(const std::vector<Process>& processes);

/// The activity that the innermost known frame shows. `where` is empty if kml knows none of the frames.
RankState told_by(const std::vector<Frame>& frames);

}  // namespace kml::pod
