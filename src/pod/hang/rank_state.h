#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pod/hang/looks.h"

namespace kml::pod {

/// The activity of a rank. If a rank has several processes, the first of these activities that any process
/// has.
enum class Doing {
  stopped,
  works,
  input,       ///< waits for a file, a pipe or a disk
  asleep,      ///< sleeps for some time
  collective,  ///< waits in a collective operation
  network,
  waits,  ///< waits for a thread or a child process
  gone,   ///< the rank's program or its pod has ended
  unknown,
};

struct RankState {
  Doing doing = Doing::unknown;
  std::string where = {};  ///< in words: "DataLoader.__next__ data.py:88, nfs_wait_bit_killable"
  /// the function in which the rank was in every sample, such as "train() at t.py:3-9"; empty if it was in
  /// several functions, or if there is only one sample
  std::string always = {};
  std::string operation = {};  ///< of a collective: "all_reduce"
  bool is_by_stack = false;    ///< whether a Python stack has shown the activity
  bool is_saving = false, is_compiling = false;
};

RankState rank_state(const RankLook& rank);

/// The processes that do the work of the rank. Leaves out shells and launchers that wait for a working
/// process, filters such as tee, and processes that a working process has started.
std::vector<const Process*> main_processes(const std::vector<Process>& processes);

/// The activity that the innermost known frame shows. If kml knows none of the frames, the activity is
/// unknown, and `where` is the innermost frame.
RankState told_by(const std::vector<Frame>& frames);

}  // namespace kml::pod
