#pragma once

#include <cstdint>
#include <filesystem>

#include "kml/base/error.h"

namespace kml {

/// Whether a disk or a quota is full. system_error() and kml::sqlite set the reason that says so.
bool is_disk_full(const Error& error);

/// The free bytes of the folder's disk that this user may use. Only root may use a file system's reserved
/// blocks. The largest number if the file system does not report it.
uint64_t free_bytes(const std::filesystem::path& folder);

/// A file that reserves disk space, so that commands that free space can still write when the disk is full.
class Reserve {
 public:
  explicit Reserve(std::filesystem::path file);
  /// Calls keep().
  ~Reserve();
  Reserve(const Reserve&) = delete;
  Reserve& operator=(const Reserve&) = delete;

  /// Creates the file if it does not exist and the disk has room for it and more.
  void keep() const noexcept;
  /// Removes the file, so that its space can be used.
  void release() const noexcept;
  /// Whether the disk has less space than a few writes need, after the file has been created again.
  bool is_short() const noexcept;

 private:
  /// The size of the file: 2 MiB, or an eighth of a small disk.
  uint64_t bytes() const noexcept;
  uint64_t missing_bytes() const noexcept;

  std::filesystem::path file_;
};

}  // namespace kml
