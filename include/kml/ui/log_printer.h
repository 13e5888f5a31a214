#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kml/core/clean.h"
#include "kml/core/pattern.h"
#include "kml/core/streams.h"
#include "kml/jobs/logs/log_lines.h"

namespace kml::ui {

/// Prints log lines, each with its pod where there are several, in a colour that is always the same for the
/// same pod. On a terminal lines are cleaned (see Cleaner), of a progress bar the last state is shown, and
/// the prefixes of ranks that share a pod have colours of their own; into a pipe they go as they are. What is
/// printed is seen after flush(). With `live` lines are seen on a terminal before they are finished, and are
/// redrawn where they stand.
class LogPrinter {
 public:
  enum class Format {
    text,
    raw,   ///< the lines alone, on a terminal too
    json,  ///< one object a line; what is not UTF-8 becomes U+FFFD
  };
  struct Options {
    bool with_source = false;
    bool with_job = false;  ///< several jobs
    bool with_time = false;
    Format format = Format::text;
    std::vector<std::string> highlight = {};  ///< expressions, shown inverse where there are colours
    bool live = false;                        ///< where standard output is a terminal, and not dumb
  };
  /// How that is done.
  class Live {
   public:
    virtual ~Live() = default;
    virtual void print(const jobs::LogLine& line) = 0;
    virtual void show_unfinished(const jobs::LogLine& line) = 0;
    virtual bool pause() = 0;
    virtual void show() = 0;
    virtual void hide() = 0;
    virtual void end_source(const jobs::LogSource& source) = 0;
    virtual void finish() = 0;
    virtual bool has_block() const = 0;
  };
  LogPrinter(const Streams& streams, const Options& options);
  ~LogPrinter() { finish(); }
  LogPrinter(const LogPrinter&) = delete;

  void print(std::span<const jobs::LogLine> lines);
  void flush();
  /// What has come so far of the next line. Nothing if lines are not live.
  void show_unfinished(const jobs::LogLine& line);
  /// Shows what is new, but not more often than it can be seen: true if some of it waits for another call.
  bool pause();
  /// Takes away what is not finished, so that others can write to the terminal; the next call shows it again.
  void hide();
  /// Something unfinished stands at the bottom of the terminal.
  bool shows_unfinished() const { return live_ && live_->has_block(); }
  /// Nothing more comes of that source.
  void end_source(const jobs::LogSource& source);
  /// Nothing more comes: what is not finished is printed as it is.
  void finish();

 private:
  const std::string& prefix_of(const jobs::LogSource& source);
  std::string new_prefix(const jobs::LogSource& source) const;
  void print(const jobs::LogLine& line);
  void write();
  void begin(const jobs::LogLine& line);
  void append_for_terminal(const jobs::LogLine& line, bool begins);
  void append_highlighted(std::string_view text);
  std::unique_ptr<Live> new_live();

  const Streams& streams_;
  const Options options_;
  std::vector<Pattern> highlight_;
  std::map<const jobs::LogSource*, std::string> prefixes_;
  const jobs::LogSource* last_source_ = nullptr;  ///< whose prefix is last_prefix_
  const std::string* last_prefix_ = nullptr;
  const jobs::LogSource* unfinished_ = nullptr;  ///< the last line printed is this one's, and goes on
  Cleaner cleaner_;
  std::string cleaned_;  ///< only to keep its memory
  std::string out_;
  std::unique_ptr<Live> live_;  ///< empty where lines are printed once they are whole
};

}  // namespace kml::ui
