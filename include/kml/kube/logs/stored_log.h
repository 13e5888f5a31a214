#pragma once

#include <memory>
#include <string_view>

#include "kml/kube/logs/log_stream.h"

namespace kml::kube {

/// Reads a stored log in the format of the API server with timestamps=true, and cuts it into the same pieces
/// as a LogStream.
class StoredLog {
 public:
  /// `stored` must outlive this object and the pieces that next() returns.
  explicit StoredLog(std::string_view stored);
  ~StoredLog();
  StoredLog(StoredLog&&) noexcept;
  StoredLog& operator=(StoredLog&&) noexcept;

  bool next(LogText& text);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kml::kube
