#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kml/base/clean.h"
#include "kml/base/pattern.h"
#include "kml/base/streams.h"
#include "kml/job/logs/log_lines.h"

namespace kml::ui {

/// Prints log lines. With `with_source`, each line starts with the label of its source, in the source's own
/// color. On a terminal, lines are cleaned (see Cleaner), a progress bar shows its last state, and the
/// prefixes of ranks that share a pod have different colors. In a pipe, lines are unchanged. Output appears
/// after flush(). With `live`, a terminal also shows incomplete lines, and redraws them in place.
class LogPrinter {
 public:
  enum class Format {
    text,
    raw,   ///< prints only the lines, even on a terminal
    json,  ///< prints one JSON object per line; invalid UTF-8 becomes U+FFFD
  };
  struct Options {
    bool with_source = false;
    bool with_job = false;  ///< several jobs
    bool with_time = false;
    Format format = Format::text;
    /// regular expressions whose matches are shown in reverse video
    std::vector<std::string> highlight = {};
    /// shows incomplete lines; only used if standard output is a terminal that can move its cursor
    bool live = false;
  };
  /// Shows incomplete lines, and redraws them.
  class Live {
   public:
    virtual ~Live() = default;
    virtual void print(const job::LogLine& line) = 0;
    virtual void show_unfinished(const job::LogLine& line) = 0;
    virtual bool pause() = 0;
    virtual void show() = 0;
    virtual void hide() = 0;
    virtual void end_source(const job::LogSource& source) = 0;
    virtual void finish() = 0;
    virtual bool has_block() const = 0;
  };
  LogPrinter(const Streams& streams, const Options& options);
  ~LogPrinter() { finish(); }
  LogPrinter(const LogPrinter&) = delete;

  void print(std::span<const job::LogLine> lines);
  void flush();
  /// Shows the next line, which is still incomplete. Does nothing without `live`.
  void show_unfinished(const job::LogLine& line);
  /// Shows new output, but limits how often the screen changes. Returns true if some output is left for the
  /// next call.
  bool pause();
  /// Erases incomplete lines, so that other code can write to the terminal. The next call shows them again.
  void hide();
  /// Whether incomplete lines are shown at the bottom of the terminal.
  bool shows_unfinished() const { return live_ && live_->has_block(); }
  /// Call this if a source has no more lines.
  void end_source(const job::LogSource& source);
  /// Ends all output. Prints incomplete lines as they are.
  void finish();

 private:
  const std::string& prefix_of(const job::LogSource& source);
  std::string new_prefix(const job::LogSource& source) const;
  void print(const job::LogLine& line);
  void write();
  void begin(const job::LogLine& line);
  void append_for_terminal(const job::LogLine& line, bool begins);
  void append_highlighted(std::string_view text);
  std::unique_ptr<Live> new_live();

  const Streams& streams_;
  const Options options_;
  std::vector<Pattern> highlight_;
  std::map<const job::LogSource*, std::string> prefixes_;
  const job::LogSource* last_source_ = nullptr;  ///< the source that last_prefix_ was made for
  const std::string* last_prefix_ = nullptr;
  const job::LogSource* unfinished_ =
      nullptr;  ///< the source of the last printed line if that line is incomplete
  Cleaner cleaner_;
  std::string cleaned_;  ///< a member only so that its memory is reused
  std::string out_;
  std::unique_ptr<Live> live_;  ///< the display of incomplete lines; null if only complete lines are printed
};

}  // namespace kml::ui
