#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "kml/base/sha256.h"

namespace kml::fetch {

/// What is known of a file's content before it is fetched: its sha256, the id of its blob in git, or only its
/// size.
struct Expected {
  std::optional<std::uintmax_t> size = {};
  std::string sha256 = {};
  /// only for a file of at most kLargestInGit; such files are hashed in memory
  std::string git_id = {};
};

/// A hub keeps larger files outside of git, with a sha256.
inline constexpr std::uintmax_t kLargestInGit = std::uintmax_t{64} << 20;

/// The bytes of a file so far, compared with what it must contain.
class Content {
 public:
  explicit Content(const Expected& expected) : expected_(expected) {}

  void add(std::string_view bytes);
  std::uintmax_t size() const { return size_; }
  /// Whether these are all of the file's bytes.
  bool is_right() const;

 private:
  const Expected& expected_;
  std::uintmax_t size_ = 0;
  Sha256 hash_;
  std::string bytes_;  ///< only for a git id, which begins with the size
};

/// Whether the path is a file, not a link, with the expected content.
bool has_content(const std::filesystem::path& file, const Expected& expected);

}  // namespace kml::fetch
