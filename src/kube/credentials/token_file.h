#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

namespace kml::kube {

/// A token in a file that something else renews, as client-go's cachingTokenSource: read again every minute
/// (10 s early) and after a 401; the last good one stays while the file cannot be read or is empty.
class TokenFile {
 public:
  using Now = std::function<std::chrono::steady_clock::time_point()>;
  explicit TokenFile(std::filesystem::path path, Now now = std::chrono::steady_clock::now)
      : path_(std::move(path)), now_(std::move(now)) {}

  /// Without white space around it. Throws Error where there never was a good one.
  const std::string& token();
  /// The server did not take it.
  void drop() { token_.clear(); }

 private:
  std::filesystem::path path_;
  Now now_;
  std::string token_;
  std::chrono::steady_clock::time_point read_at_{};
};

}  // namespace kml::kube
