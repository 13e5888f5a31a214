#pragma once

#include <memory>
#include <string_view>

#include "kml/kube/logs/log_stream.h"

namespace kml::kube {

/// Goes through a log that was stored as the API server gives it with timestamps=true, and cuts it into the
/// same pieces as a LogStream.
class StoredLog {
 public:
  /// `stored` must outlive it, and all that next() gives.
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
