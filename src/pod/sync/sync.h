#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "kml/job/views/interrupt.h"
#include "kml/kube/client/client.h"
#include "kml/pod/streams/running_rank.h"

namespace kml::pod {

/// A folder on this machine, and the folder in a pod that receives its files.
struct SyncPlan {
  std::filesystem::path folder;
  std::string target;  ///< the path in the container; may be relative to the working directory
  /// Finds the rank's current pod. Throws Error with the reason kNotRunning while there is none. Any other
  /// error, except a broken connection, ends the sync.
  std::function<RunningRank()> find;
  bool deletes = false;             ///< whether files deleted here are deleted in the pod, too
  bool is_on_this_machine = false;  ///< whether pods use the files on this machine
  bool ends_equal = false;          ///< whether to return as soon as the files are equal
};

/// Sends the files of a code folder (see code_files()) that the pod lacks or has with other content, and then
/// each file that changes, until a signal arrives. Never copies files from the pod to this machine, and never
/// deletes files in the pod without `deletes`. If several files have changed together, they also appear
/// together (in several parts, if they are very many or very large), each one complete and with the same
/// SHA-256 as here. If the connection breaks or the container is replaced, compares all files with the pod
/// again. Throws Error if the folder cannot be read or contains the target, if the image lacks a tool (see
/// PodMirror::check_tools()), if there is no pod at the start, and, with `ends_equal`, if files keep
/// changing.
void sync_to_pod(kube::Client& client, const SyncPlan& plan,
                 const std::function<void(const std::string&)>& note, const job::Interrupt& interrupt);

}  // namespace kml::pod
