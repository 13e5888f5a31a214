#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "pod/hang/looks.h"

namespace kml::pod {

/// The shell script that samples the processes of a container twice, needs only /proc and a POSIX shell, and
/// changes nothing, except that PyTorch's flight recorder writes its files if it has a pipe for that (`kml
/// submit --hang-debug`). Python stacks and GPUs come from py-spy and nvidia-smi, if the image has them.
/// `py_spy` is the path of a py-spy that was copied there, or empty; the script removes that file.
std::vector<std::string> probe_command(std::chrono::seconds between, const std::string& py_spy = {});

/// The output of the script, even if it was cut off.
struct Probe {
  std::vector<Process> processes = {};                  ///< of the container, without the script's own
  std::vector<Stack> stacks = {}, earlier_stacks = {};  ///< as in RankLook
  std::vector<FileWait> file_waits = {};
  std::vector<FlightRecord> flights = {};
  std::string flights_unseen = {};  ///< why a file of the flight recorder could not be read
  std::optional<int> gpu_use = {};
  bool is_whole = false;                                        ///< the second sample is in it
  bool has_python = false;                                      ///< a Python program runs
  std::string stacks_unseen = {};                               ///< why it has no stack of it
  std::vector<std::string> ras_sockets = {}, own_sockets = {};  ///< as in RankLook
};
Probe parse_probe(std::string_view output);

/// The program that adds what each thread holds and waits for to py-spy's JSON: for the Python that runs in
/// the container, which has the source of the frames.
std::string lock_script();

/// The output of `py-spy dump`, as JSON or as text, with the additions of lock_script(). Has no threads if it
/// is neither.
Stack parse_stack(int pid, std::string_view dump);

/// The name of a system call by its number, of the architecture that `uname -m` prints; empty if unknown, or
/// if the process runs.
std::string call_name(std::string_view architecture, std::string_view number);

}  // namespace kml::pod
