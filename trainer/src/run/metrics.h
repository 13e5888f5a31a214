#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/file.h"

namespace trainer {

/// What the run did, as JSON lines for programs (README.md describes them). Every line holds "schema",
/// "event", "time" (Unix seconds) and "device"; a line is written by one call, so that readers and crashes
/// never see half.
class Metrics {
 public:
  /// Appends to `file`; "-" is stdout, and an empty name discards everything. Throws Error.
  Metrics(const std::string& file, std::string device);

  bool enabled() const { return fd_.get() >= 0; }
  /// `fields` is an object. Throws Error when the line cannot be written.
  void write(const char* event, const nlohmann::ordered_json& fields);

 private:
  std::string name_;
  std::string device_;
  Fd fd_;
};

}  // namespace trainer
