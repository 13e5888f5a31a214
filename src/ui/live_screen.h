#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/jobs/logs/log_lines.h"
#include "kml/ui/screen.h"

namespace kml::ui {

/// A finished log line, ready for a terminal except for its prefix.
struct FinishedLine {
  const jobs::LogSource* source = nullptr;
  std::string stamp, text;
};

/// A terminal on which finished lines scroll above a block of rows that is redrawn in place. The last
/// scrolled lines can be taken back while they are on the screen.
class LiveScreen {
 public:
  using Format = std::function<std::string(const FinishedLine&)>;
  LiveScreen(const Streams& streams, Format format)
      : streams_(streams), screen_(streams), format_(std::move(format)) {}

  void add(FinishedLine line);
  /// Removes the last line of that source from the screen and returns it; false if it has scrolled too far.
  bool take_back(const jobs::LogSource& source, FinishedLine& line);
  /// Shows the added lines, and these rows below them, each cut at the terminal's edge.
  void show(std::vector<std::string> rows);
  /// Erases the rows, so that others can write. Lines can no longer be taken back.
  void hide();
  /// The maximum number of rows.
  size_t most_rows() const;
  size_t block() const { return shown_.size(); }
  bool has_lines() const { return !new_.empty() || !out_.empty(); }
  /// Whether enough output is pending to write it.
  bool is_full() const { return out_.size() >= size_t{64} << 10; }

 private:
  /// Lines that a program may move back to are kept apart, because they can be taken back.
  static constexpr size_t kMostKept = 24;

  void begin();
  void end();
  void print(const FinishedLine& line);
  void print_new();
  void erase_block();
  void draw_again(const std::vector<std::string>& rows);
  void write(std::string_view text) { steer_ += text; }

  const Streams& streams_;
  Screen screen_;
  const Format format_;
  std::deque<FinishedLine> new_;      ///< not printed yet
  std::string out_;                   ///< older ones, as text
  std::deque<FinishedLine> printed_;  ///< the last ones, each one row high, right above the block
  std::vector<std::string> shown_;    ///< the block
  size_t columns_ = 0;                ///< at the last draw
  std::string steer_;                 ///< what is written next; all text in it is clean
};

}  // namespace kml::ui
