#pragma once

#include <string>

#include "kml/core/streams.h"
#include "kml/jobs/tail.h"

namespace kml::ui {

/// Prints log lines, each with its pod where there are several, in a colour that is always the same for the
/// same pod. On a terminal lines are cleaned (see clean()); into a pipe they go as they are.
class LogPrinter {
 public:
  struct Options {
    bool with_source = false;
    bool with_job = false;  ///< several jobs
    bool with_time = false;
  };
  LogPrinter(const Streams& streams, Options options) : streams_(streams), options_(options) {}

  void print(const jobs::LogLine& line);

 private:
  const Streams& streams_;
  Options options_;
};

}  // namespace kml::ui
