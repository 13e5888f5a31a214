#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "kml/base/files.h"
#include "kml/base/json.h"
#include "local/shim/pod_folder.h"

namespace kml::local {

/// A file to which texts are appended completely, or not at all if the disk is full.
class AppendFile {
 public:
  AppendFile() = default;
  /// Creates the file if it does not exist. If that fails, nothing can be appended.
  explicit AppendFile(const std::filesystem::path& path);

  explicit operator bool() const { return static_cast<bool>(fd_); }
  uint64_t size() const { return size_; }
  /// Does not sync to disk, because the pods do not survive a crash of the machine either.
  bool append(std::string_view text);
  void clear();
  /// Keeps so much of the disk for the file that it can grow to `bytes`. False on failure.
  bool keep(uint64_t bytes);

 private:
  void cut_to(uint64_t size);

  Fd fd_;
  uint64_t size_ = 0;
};

/// The status of a pod, as reported by its shim: one line per report; the last complete line is used. Lines
/// are appended and the file is not replaced, because ext4 without a journal looks at each file deleted in
/// the last minutes before it creates a new one (recently_deleted() of fs/ext4/ialloc.c). That took a third
/// of the processor time of a short pod. A file that has grown long is replaced by its last line before the
/// next line is appended. A program that watches the folder sees the appended line.
class StatusFile {
 public:
  explicit StatusFile(const PodFolder& folder) : path_(folder.status()) {}

  /// Returns false if the disk is full; the previous status then stays valid.
  bool write(const Json& status);

 private:
  void shorten();
  void keep_room();

  std::filesystem::path path_;
  std::string last_;  ///< the line that was added last
  AppendFile file_;
  uint64_t kept_ = 0;  ///< for the file, in bytes
};

// Fields of a container's status in this file beyond those of v1.ContainerStatus.

inline constexpr const char* kKeeper = "keeper";        ///< the pid of its keeper, while it runs
inline constexpr const char* kUsed = "used";            ///< by its earlier runs: api::ContainerUsage
inline constexpr const char* kUnhealthy = "unhealthy";  ///< which probe failed last, and why

/// Empty if no status has been written yet, or if a power failure has damaged it; then the shim has ended
/// too, and the pod is treated as lost.
std::optional<Json> read_status(const PodFolder& folder);
bool has_broken_status(const PodFolder& folder);

}  // namespace kml::local
