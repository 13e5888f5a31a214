#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "kml/core/files.h"

namespace kml::local {

/// A file to which texts are appended whole, or not at all where the disk is full.
class AppendFile {
 public:
  AppendFile() = default;
  /// Makes the file where there is none. Where it cannot, nothing can be appended.
  explicit AppendFile(const std::filesystem::path& path);

  explicit operator bool() const { return static_cast<bool>(fd_); }
  uint64_t size() const { return size_; }
  /// Does not wait for the disk: when the machine goes down, so do the pods.
  bool append(std::string_view text);
  void clear();

 private:
  void cut_to(uint64_t size);

  Fd fd_;
  uint64_t size_ = 0;
};

}  // namespace kml::local
