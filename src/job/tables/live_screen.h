#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/job/logs/log_lines.h"
#include "kml/ui/screen.h"

namespace kml::ui {

/// A finished log line without its prefix, ready for a terminal.
struct FinishedLine {
  const job::LogSource* source = nullptr;
  std::string stamp, text;
};

/// A terminal on which finished lines scroll above a block of rows that is redrawn in place. The last
/// scrolled lines can be taken back as long as they are on the screen.
class LiveScreen {
 public:
  using Format = std::function<std::string(const FinishedLine&)>;
  LiveScreen(const Streams& streams, Format format)
      : streams_(streams), screen_(streams), format_(std::move(format)) {}

  void add(FinishedLine line);
  /// Removes the source's last line from the screen and returns it. Returns false if it has scrolled too far.
  bool take_back(const job::LogSource& source, FinishedLine& line);
  /// Shows the added lines, and below them these rows, each cut at the terminal's edge.
  void show(std::vector<std::string> rows);
  /// Erases the rows, so that other code can write to the terminal. Lines can no longer be taken back.
  void hide();
  /// The maximum number of rows.
  size_t most_rows() const;
  size_t block() const { return shown_.size(); }
  bool has_lines() const { return !new_.empty() || !out_.empty(); }
  /// Whether enough output is pending to write it.
  bool is_full() const { return out_.size() >= size_t{64} << 10; }

 private:
  /// The number of latest lines kept apart, so that they can be taken back when a program moves its cursor
  /// up.
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
  std::string out_;                   ///< older lines, as text
  std::deque<FinishedLine> printed_;  ///< the last lines, each one row high, directly above the block
  std::vector<std::string> shown_;    ///< the block
  size_t columns_ = 0;                ///< width of the terminal at the last draw
  std::string steer_;                 ///< the next output to the terminal; all text in it is clean
};

}  // namespace kml::ui
