#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "pod/copy/local_sums.h"
#include "pod/copy/local_tree.h"
#include "pod/copy/pod_shell.h"
#include "pod/copy/pod_tree.h"

namespace kml::pod {

/// The folder ".NAME.kml-part" in a pod. A copy is built there, and then moved to its place. If an earlier
/// attempt has left files in it, the copy continues with those.
class Stage {
 public:
  /// `entries` are copied from `source`, a folder or file on this machine. All arguments must outlive this
  /// object.
  Stage(PodShell& shell, const PodTools& tools, const std::filesystem::path& source,
        const std::vector<CopyEntry>& entries, std::string folder, std::string name);

  /// Compares the files in the stage with the files to copy. If the stage contains anything else, empties it.
  /// Throws Error if a file is different after each attempt. If `may_exist` is false, treats the stage as
  /// empty, without asking the pod.
  void look(bool may_exist);
  /// Whether all files are in the stage, each with the right checksum.
  bool is_complete() const { return found_.missing.empty(); }
  /// How many bytes were in the stage at the last look(), in complete and in incomplete files.
  std::uintmax_t arrived() const { return found_.arrived; }
  /// Sends the missing files. Calls `sent` for each piece, with its number of bytes. Unless the stage is then
  /// is_moved() or is_complete(), call look() to find out what has arrived.
  void send(const std::function<void(std::uintmax_t)>& sent);
  /// Whether the pod has already compared the checksums and moved the files to their place.
  bool is_moved() const { return is_moved_; }
  /// Unless it is_moved(), moves the files in the stage to their place, and removes the stage. Sets the modes
  /// of folders.
  void move();

 private:
  using Entries = std::vector<const CopyEntry*>;

  /// The files that look() has found in the stage.
  struct Findings {
    Entries missing, changed_modes;
    std::map<const CopyEntry*, std::uintmax_t> sizes;  ///< the sizes of incomplete files
    std::uintmax_t arrived = 0;
  };

  void take_out_equal(const PodTree& tree);
  bool is_moved_at_once(const Entries& entries) const;
  void send_tar(const Entries& entries, const std::function<void(std::uintmax_t)>& sent);
  void make_folders_and_links(const Entries& entries);
  void send_bundles(Entries files, const std::function<void(std::uintmax_t)>& sent);
  void send_file(const CopyEntry& file, const std::function<void(std::uintmax_t)>& sent);
  void set_modes(const std::string& folder, CopyEntry::Kind kind);
  void do_in_pod(ShellCall call, const std::string& what);
  std::filesystem::path local_place(const CopyEntry& entry) const;
  std::string staged_name(const CopyEntry& entry) const;

  PodShell& shell_;
  const PodTools& tools_;
  const std::filesystem::path& source_;
  const std::vector<CopyEntry>& entries_;
  const std::string folder_, name_;  ///< the final place of the copy
  const std::string stage_;
  Findings found_;
  LocalSums sums_;
  /// files with the right checksum, which the pod computed while it stored them
  std::set<const CopyEntry*> equal_;
  bool has_begun_move_ = false, may_be_moved_ = false, is_moved_ = false;
};

}  // namespace kml::pod
