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

/// The permissions that folders get in an archive in addition to their own, because their owner must be able
/// to write into them until all files have arrived.
inline constexpr unsigned kOwnFolder = 0700;

/// How many blocks of 512 bytes are needed for this many bytes.
constexpr std::uintmax_t blocks_of(std::uintmax_t size) {
  return (size + 511) / 512;
}

/// Called for each piece, with the number of its bytes that come from files.
using Sent = std::function<void(std::uintmax_t)>;

/// Reads a file on this machine in pieces, starting at an offset.
class FileSource {
 public:
  FileSource(std::filesystem::path file, std::uintmax_t offset, std::uintmax_t size, Sent sent);

  /// The next piece; empty at the end. Throws Error if the file cannot be read or has become shorter.
  std::string next();

 private:
  const std::filesystem::path file_;
  Fd fd_;
  std::uintmax_t left_;
  Sent sent_;
};

/// Small files on this machine as one stream. Each file starts at a multiple of 512 bytes.
class BundleSource {
 public:
  explicit BundleSource(Sent sent) : sent_(std::move(sent)) {}

  /// Returns the block at which the file starts.
  std::uintmax_t add(std::uintmax_t size, std::filesystem::path place);
  /// The next piece; empty at the end. Throws Error as FileSource does.
  std::string next();

 private:
  std::deque<std::pair<std::uintmax_t, std::filesystem::path>> files_;
  std::uintmax_t blocks_ = 0;
  Sent sent_;
};

/// Folders, links and small files on this machine as a tar archive, in pieces.
class TarSource {
 public:
  /// `on_sum`, if set, is called with the checksum of each file that was read. `on_end`, if set, may append
  /// more members.
  using OnSum = std::function<void(const CopyEntry&, const std::string&)>;
  using OnEnd = std::function<void(std::string&)>;
  TarSource(SumTool tool, Sent sent, OnSum on_sum, OnEnd on_end = {})
      : tool_(tool), sent_(std::move(sent)), on_sum_(std::move(on_sum)), on_end_(std::move(on_end)) {}

  void add(std::string name, const CopyEntry& entry, std::filesystem::path place);
  /// The next piece; empty at the end. Throws Error as FileSource does.
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
