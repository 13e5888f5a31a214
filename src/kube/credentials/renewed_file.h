#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

namespace kml::kube {

/// A token, certificate, key or authority in a file that something else renews: read again every minute (10 s
/// early), as client-go's cachingTokenSource does; the last good one stays while the file is none.
class RenewedFile {
 public:
  enum class Content { token, pem };
  using Now = std::function<std::chrono::steady_clock::time_point()>;
  RenewedFile(std::filesystem::path path, Content content, Now now = std::chrono::steady_clock::now)
      : path_(std::move(path)), content_(content), now_(std::move(now)) {}

  /// A token without white space around it, a PEM as it is. Throws Error where there never was a good one.
  const std::string& text();
  /// The server did not take it.
  void drop() { text_.clear(); }

 private:
  std::filesystem::path path_;
  Content content_;
  Now now_;
  std::string text_;
  std::chrono::steady_clock::time_point read_at_{};
};

}  // namespace kml::kube
