#pragma once

#include <map>
#include <span>
#include <string>

#include "kml/core/streams.h"
#include "kml/jobs/log_lines.h"

namespace kml::ui {

/// Prints log lines, each with its pod where there are several, in a colour that is always the same for the
/// same pod. On a terminal lines are cleaned (see clean()), and of a progress bar the last state is shown;
/// into a pipe they go as they are. What is printed is seen after flush().
class LogPrinter {
 public:
  struct Options {
    bool with_source = false;
    bool with_job = false;  ///< several jobs
    bool with_time = false;
  };
  LogPrinter(const Streams& streams, Options options) : streams_(streams), options_(options) {}
  ~LogPrinter() { flush(); }
  LogPrinter(const LogPrinter&) = delete;

  void print(std::span<const jobs::LogLine> lines);
  void flush();

 private:
  const std::string& prefix_of(const jobs::LogSource& source);
  void begin(const jobs::LogLine& line);

  const Streams& streams_;
  Options options_;
  std::map<const jobs::LogSource*, std::string> prefixes_;
  const jobs::LogSource* last_source_ = nullptr;  ///< whose prefix is last_prefix_
  const std::string* last_prefix_ = nullptr;
  const jobs::LogSource* unfinished_ = nullptr;  ///< the last line printed is this one's, and goes on
  std::string out_;
};

}  // namespace kml::ui
