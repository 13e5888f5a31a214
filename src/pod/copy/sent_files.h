#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>

#include "kml/base/files.h"
#include "pod/copy/content_sum.h"
#include "pod/copy/pod_tree.h"

namespace kml::pod {

/// In an archive, folders have these permissions too, because their owner must be able to write to them
/// until all files have arrived.
inline constexpr unsigned kOwnFolder = 0700;

/// The number of blocks of 512 bytes that hold so many bytes.
constexpr std::uintmax_t blocks_of(std::uintmax_t size) {
  return (size + 511) / 512;
}

/// Called with the number of bytes that were sent.
using Sent = std::function<void(std::uintmax_t)>;

/// Reads a file on this machine in pieces, starting at an offset.
class FileSource {
 public:
  FileSource(std::filesystem::path file, std::uintmax_t offset, std::uintmax_t size, Sent sent);

  /// Empty at the end. Throws Error if the file cannot be read, or has become shorter.
  std::string next();

 private:
  const std::filesystem::path file_;
  Fd fd_;
  std::uintmax_t left_;
  Sent sent_;
};

/// Small files on this machine in one stream. Each starts at a multiple of 512 bytes.
class BundleSource {
 public:
  explicit BundleSource(Sent sent) : sent_(std::move(sent)) {}

  /// Returns the block at which the file starts.
  std::uintmax_t add(std::uintmax_t size, std::filesystem::path place);
  /// Empty at the end. Throws Error like FileSource.
  std::string next();

 private:
  std::deque<std::pair<std::uintmax_t, std::filesystem::path>> files_;
  std::uintmax_t blocks_ = 0;
  Sent sent_;
};

/// Folders, links and small files on this machine as a tar archive, in pieces.
class TarSource {
 public:
  /// `on_sum`, if there is one, is called with the sum of each file that was read. `on_end`, if there is one,
  /// may append further members.
  using OnSum = std::function<void(const CopyEntry&, const std::string&)>;
  using OnEnd = std::function<void(std::string&)>;
  TarSource(SumTool tool, Sent sent, OnSum on_sum, OnEnd on_end = {})
      : tool_(tool), sent_(std::move(sent)), on_sum_(std::move(on_sum)), on_end_(std::move(on_end)) {}

  void add(std::string name, const CopyEntry& entry, std::filesystem::path place);
  /// Empty at the end. Throws Error like FileSource.
  std::string next();

 private:
  struct Member {
    std::string name;
    const CopyEntry* entry;
    std::filesystem::path place;
  };

  std::deque<Member> members_;
  bool has_ended_ = false;
  const SumTool tool_;
  Sent sent_;
  OnSum on_sum_;
  OnEnd on_end_;
};

}  // namespace kml::pod
