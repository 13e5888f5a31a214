#pragma once

#include <cstdint>
#include <filesystem>

#include "kml/base/error.h"

namespace kml {

/// Whether the Error means that a disk or a quota is full. system_error() and kml::sqlite give such Errors
/// the reason that this function checks.
bool is_disk_full(const Error& error);

/// How many bytes this user can still write to the folder's disk; only root may use a file system's reserved
/// blocks. If the file system does not report this, the largest possible number.
uint64_t free_bytes(const std::filesystem::path& folder);

/// A file that reserves disk space, so that commands that free space can still write if the disk is full.
class Reserve {
 public:
  explicit Reserve(std::filesystem::path file);
  /// Calls keep().
  ~Reserve();
  Reserve(const Reserve&) = delete;
  Reserve& operator=(const Reserve&) = delete;

  /// Creates the file if it does not exist and the disk has enough space for it and for a few writes.
  void keep() const noexcept;
  /// Removes the file, so that its space can be used.
  void release() const noexcept;
  /// Whether the disk lacks space for a few writes or, if the file is missing, for these writes and the file.
  bool is_short() const noexcept;

 private:
  /// The size of the file: 2 MiB, or an eighth of a small disk.
  uint64_t bytes() const noexcept;
  uint64_t missing_bytes() const noexcept;

  std::filesystem::path file_;
};

}  // namespace kml
