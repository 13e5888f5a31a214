#pragma once

#include <linux/seccomp.h>
#include <signal.h>

#include <optional>
#include <string>
#include <vector>

#include "kml/base/import_listings.h"
#include "kml/base/read_record.h"
#include "step/record/mounts.h"
#include "step/record/path_calls.h"
#include "step/record/paths.h"
#include "step/record/recording.h"

namespace kml::step {

/// Records what a program and all its descendants read in a folder, in the form of ReadRecord. The kernel
/// pauses each of their system calls that has a path, by seccomp(2), until this process has recorded it. This
/// needs no rights. A program that would gain rights when it is executed, such as sudo, does not gain them,
/// unless this process has root's rights.
class Recorder {
 public:
  explicit Recorder(Recording recording);

  /// In the process that will execute the program: from now on, the kernel stops each call of this process
  /// until the recorder has seen the call. The parent must be in adopt().
  void begin() const;
  /// In the parent: receives the calls of that process. If the kernel cannot stop them, the program runs
  /// without a recording. If they are stopped, but this process cannot receive them, kills the program, and
  /// exits.
  void adopt(pid_t child);
  /// Notes calls until one of the signals is pending.
  void serve(const sigset_t& signals);
  /// Notes the calls that were already stopped, and writes the record. If that fails, there is no complete
  /// record.
  void finish();

 private:
  void take_one();
  void note(const seccomp_notif& call);
  void note_path(const seccomp_notif& call, const PathCall& kind, const PathArgument& argument);
  void note_lookup(int thread, const std::string& path, bool opens_folder);
  void note_use(int thread, Use use, unsigned flags, const std::string& place);
  void note_open(const std::string& name, unsigned flags, PathSeen seen);
  void note_folder_above(const std::string& place);
  void note_remove_folder(const std::string& name, PathSeen seen);
  void note_replace(const std::string& name, unsigned flags, PathSeen seen);
  void note_interpreter(int thread, const std::string& program, int depth);
  void note_list(int thread, int descriptor);
  void settle(const std::optional<ImportListings::Outcome>& outcome);
  bool flags_of(const seccomp_notif& call, const PathCall& kind, unsigned& flags);
  bool folder_of_call(const seccomp_notif& call, const PathArgument& argument, const std::string& path,
                      std::string& folder) const;
  void look(const std::string& place);
  ReadRecord::Entries entries_of(const std::string& name) const;
  PathSeen seen_at(const std::string& place) const;
  const Recording recording_;
  int channel_[2] = {-1, -1};
  int listener_ = -1, signals_ = -1;
  std::vector<char> call_, answer_;  ///< buffers as large as the kernel requires
  Mounts mounts_;
  Paths paths_;
  ReadRecord record_;
  ImportListings imports_;
};

}  // namespace kml::step
