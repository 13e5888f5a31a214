#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/job/logs/log_lines.h"
#include "kml/ui/screen.h"

namespace kml::ui {

/// A complete log line without its prefix, ready for a terminal.
struct FinishedLine {
  const job::LogSource* source = nullptr;
  std::string stamp, text;
};

/// A terminal on which complete lines scroll above a block of rows that is redrawn in place. The last
/// scrolled lines can be taken back while they are still on the screen.
class LiveScreen {
 public:
  using Format = std::function<std::string(const FinishedLine&)>;
  LiveScreen(const Streams& streams, Format format)
      : streams_(streams), screen_(streams), format_(std::move(format)) {}

  void add(FinishedLine line);
  /// Removes the source's last line from the screen, and returns it in `line`. Returns false if the line has
  /// scrolled too far.
  bool take_back(const job::LogSource& source, FinishedLine& line);
  /// Prints the lines that were added. Below them, shows these rows, each cut at the edge of the terminal.
  void show(std::vector<std::string> rows);
  /// Erases the rows, so that other code can write to the terminal. After that, no printed line can be taken
  /// back.
  void hide();
  /// The maximum number of rows in the block.
  size_t most_rows() const;
  size_t block() const { return shown_.size(); }
  bool has_lines() const { return !new_.empty() || !out_.empty(); }
  /// Whether so much output is pending that it should be written now.
  bool is_full() const { return out_.size() >= size_t{64} << 10; }

 private:
  /// How many of the latest lines are kept separately, so that they can be taken back when a program moves
  /// its cursor up.
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
  std::deque<FinishedLine> new_;      ///< lines that are not printed yet
  std::string out_;                   ///< the text of lines before `new_` that are not printed yet, either
  std::deque<FinishedLine> printed_;  ///< the last printed lines, each one row high, directly above the block
  std::vector<std::string> shown_;    ///< the block
  size_t columns_ = 0;                ///< the terminal's width when the block was last drawn
  std::string steer_;                 ///< the next output to the terminal, with only clean text in it
};

}  // namespace kml::ui
