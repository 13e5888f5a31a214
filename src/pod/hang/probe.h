#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "pod/hang/looks.h"

namespace kml::pod {

/// A shell script that takes two samples of the processes in a container. It only needs /proc, a POSIX shell
/// and `sleep`; other tools add details. It changes nothing, except that it makes PyTorch's flight recorder
/// write its files, if there is a pipe for that (`kml submit --hang-debug`). Python stacks and GPU usage come
/// from py-spy and nvidia-smi, if the image has them. `py_spy` is the path of a py-spy that was copied to the
/// container, or empty. The script removes that file.
std::vector<std::string> probe_command(std::chrono::seconds between, const std::string& py_spy = {});

/// The output of the script, which may be incomplete.
struct Probe {
  /// the processes in the container, without the script's own
  std::vector<Process> processes = {};
  std::vector<Stack> stacks = {}, earlier_stacks = {};  ///< see RankLook::stacks
  std::vector<FileWait> file_waits = {};
  std::vector<FlightRecord> flights = {};
  std::string flights_unseen = {};  ///< why a flight recorder's file could not be read
  std::optional<int> gpu_use = {};
  bool is_whole = false;           ///< whether it has two samples, at least half a second apart
  bool has_python = false;         ///< whether a Python program is running
  std::string stacks_unseen = {};  ///< why there is no stack of that program
  std::vector<std::string> ras_sockets = {}, own_sockets = {};  ///< see RankLook::ras_sockets
};
Probe parse_probe(std::string_view output);

/// A program that adds to py-spy's JSON the locks that each thread holds or waits for. It runs on the Python
/// in the container, because the source code of the frames is there.
std::string lock_script();

/// Parses the output of `py-spy dump`, as JSON or as text, with the additions of lock_script(). The result
/// has no threads if it is neither.
Stack parse_stack(int pid, std::string_view dump);

/// The name of a system call with this number, on the architecture that `uname -m` prints. Empty if unknown,
/// or if the process is running.
std::string call_name(std::string_view architecture, std::string_view number);

}  // namespace kml::pod
