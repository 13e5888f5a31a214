#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/file.h"

namespace trainer {

/// Writes the run's events as JSON lines for programs (README.md describes them). Every line has "schema",
/// "event", "time" (Unix seconds) and "device". Each line is written by a single call, so that readers see a
/// part of it only after a failure, for example of a full disk.
class Metrics {
 public:
  /// Opens the file to append lines. "-" means standard output; an empty name discards all lines. Throws
  /// Error.
  Metrics(const std::string& file, std::string device);

  bool enabled() const { return fd_.get() >= 0; }
  /// `fields` is an object. Throws Error if the line cannot be written.
  void write(const char* event, const nlohmann::ordered_json& fields);

 private:
  std::string name_;
  std::string device_;
  Fd fd_;
};

}  // namespace trainer
