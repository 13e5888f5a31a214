#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "kml/base/files.h"
#include "kml/base/json.h"
#include "local/shim/pod_folder.h"

namespace kml::local {

/// A file to which texts are appended. If the disk is full, a text is not appended at all.
class AppendFile {
 public:
  AppendFile() = default;
  /// Creates the file unless it exists. If that fails, nothing can be appended.
  explicit AppendFile(const std::filesystem::path& path);

  explicit operator bool() const { return static_cast<bool>(fd_); }
  uint64_t size() const { return size_; }
  /// Does not sync to disk, because the pods do not survive a crash of the machine, either.
  bool append(std::string_view text);
  void clear();
  /// Reserves disk space so that the file can grow to `bytes`. Returns false on failure.
  bool keep(uint64_t bytes);

 private:
  void cut_to(uint64_t size);

  Fd fd_;
  uint64_t size_ = 0;
};

/// The status of a pod as its shim reports it: one line per report. The last complete line is valid. Lines
/// are appended, because replacing the file would be slow: when ext4 without a journal creates a file, it
/// checks each file that was deleted in the last minutes (recently_deleted() in fs/ext4/ialloc.c). This check
/// took a third of the processor time of a short pod.
///
/// A long file is replaced by its last line before the next line is appended. A program that watches the
/// folder notices the appended line.
class StatusFile {
 public:
  explicit StatusFile(const PodFolder& folder) : path_(folder.status()) {}

  /// Returns false if the disk is full; the previous status is then still valid.
  bool write(const Json& status);

 private:
  void shorten();
  void keep_room();

  std::filesystem::path path_;
  std::string last_;  ///< the last line that was appended
  AppendFile file_;
  uint64_t kept_ = 0;  ///< how many bytes are reserved for the file
};

// A container's status in this file has these fields in addition to those of v1.ContainerStatus.

/// the pid of the container's keeper while the keeper is running
inline constexpr const char* kKeeper = "keeper";
inline constexpr const char* kUsed = "used";  ///< the api::ContainerUsage of the container's earlier runs
inline constexpr const char* kUnhealthy = "unhealthy";  ///< the probe that failed last, with the reason

/// Empty if no status has been written, or a power failure has damaged it. After a power failure, the shim is
/// gone, too, so the pod is treated as lost.
std::optional<Json> read_status(const PodFolder& folder);
bool has_broken_status(const PodFolder& folder);

}  // namespace kml::local
