#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "kml/base/sha256.h"

namespace kml::fetch {

/// The known facts about a file's content before it is fetched: its SHA-256, the id of its blob in git, or
/// only its size.
struct Expected {
  std::optional<std::uintmax_t> size = {};
  std::string sha256 = {};
  /// the id of the blob in git; set only for files of at most kLargestInGit bytes, which are hashed in memory
  std::string git_id = {};
};

/// A hub stores larger files outside of git, with a SHA-256.
inline constexpr std::uintmax_t kLargestInGit = std::uintmax_t{64} << 20;

/// Receives the bytes of a file, and compares them with the expected content.
class Content {
 public:
  explicit Content(const Expected& expected) : expected_(expected) {}

  void add(std::string_view bytes);
  std::uintmax_t size() const { return size_; }
  /// The SHA-256 of the bytes so far; only valid if a SHA-256 is expected.
  std::string sha256() const { return hash_.hex(); }
  /// Whether all of the file's bytes have arrived, and are as expected.
  bool is_right() const;

 private:
  const Expected& expected_;
  std::uintmax_t size_ = 0;
  Sha256 hash_;
  std::string bytes_;  ///< all bytes so far; only kept for a git id, because git hashes the size first
};

/// Whether the path is a file, not a link, with the expected content.
bool has_content(const std::filesystem::path& file, const Expected& expected);

}  // namespace kml::fetch
