#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>

#include "jobs/copy/pod_tree.h"
#include "kml/core/files.h"

namespace kml::jobs {

/// Called with a number of bytes that were sent.
using Sent = std::function<void(std::uintmax_t)>;

/// A file of this machine, in pieces, from an offset on.
class FileSource {
 public:
  FileSource(std::filesystem::path file, std::uintmax_t offset, std::uintmax_t size, Sent sent);

  /// Empty at the end. Throws Error if the file cannot be read, or is shorter than it was.
  std::string next();

 private:
  const std::filesystem::path file_;
  Fd fd_;
  std::uintmax_t left_;
  Sent sent_;
};

/// Folders, links and small files of this machine as a tar archive, in pieces.
class TarSource {
 public:
  explicit TarSource(Sent sent) : sent_(std::move(sent)) {}

  void add(std::string name, const CopyEntry& entry, std::filesystem::path place);
  /// Empty at the end. Throws Error as FileSource does.
  std::string next();

 private:
  struct Member {
    std::string name;
    const CopyEntry* entry;
    std::filesystem::path place;
  };

  std::deque<Member> members_;
  bool has_ended_ = false;
  Sent sent_;
};

}  // namespace kml::jobs
