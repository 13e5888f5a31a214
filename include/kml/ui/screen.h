#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/streams.h"

namespace kml::ui {

/// A block of lines on a terminal that is redrawn in place. Writes only the lines that have changed.
class Screen {
 public:
  explicit Screen(const Streams& streams) : streams_(streams) {}

  /// The terminal's current number of rows; 24 if it is unknown.
  size_t rows() const;
  /// The terminal's current number of columns. If it is unknown, the width of the streams, which may be 0.
  size_t columns() const;
  /// Draws the lines. Keeps the last row empty, leaves out the lines that do not fit above it, and cuts each
  /// line at the last column, because the next line would overwrite a wrapped one.
  void draw(std::vector<std::string> lines);
  /// Moves the cursor below the drawn lines.
  void end();

 private:
  const Streams& streams_;
  std::vector<std::string> shown_;
  size_t rows_ = 0, columns_ = 0;  ///< the size at the last draw; if it changes, all lines are redrawn
};

/// Passes streams to the function, and returns the lines that it prints to these streams.
std::vector<std::string> lines_of(const Streams& streams, const std::function<void(const Streams&)>& print);

/// A progress line on standard error, rewritten in place. Prints nothing if standard error is not a terminal.
class Progress {
 public:
  explicit Progress(const Streams& streams) : streams_(streams) {}
  ~Progress() { end(); }
  Progress(const Progress&) = delete;

  void show(std::string_view text);
  /// Erases the line, so that other lines can be written.
  void end();

 private:
  const Streams& streams_;
  bool is_shown_ = false;
};

}  // namespace kml::ui
