#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/core/streams.h"

namespace kml::ui {

/// A terminal that shows the same lines again and again: only those that differ are written.
class Screen {
 public:
  explicit Screen(const Streams& streams) : streams_(streams) {}

  /// How many lines it shows, as the terminal is now; 24 where it does not say.
  size_t rows() const;
  /// How many columns it shows, as the terminal is now; 0 where nobody says.
  size_t columns() const;
  /// Lines past the last row are left out, and each is cut at the last column: one that went on in the next
  /// row would be written over.
  void draw(std::vector<std::string> lines);
  /// Leaves the cursor below what was drawn.
  void end();

 private:
  const Streams& streams_;
  std::vector<std::string> shown_;
  size_t rows_ = 0, columns_ = 0;  ///< when it was drawn: another size needs all lines
};

/// What a function prints to the streams it is given, as lines.
std::vector<std::string> lines_of(const Streams& streams, const std::function<void(const Streams&)>& print);

/// One line on standard error that is rewritten while something takes long. Nothing if that is no
/// terminal.
class Progress {
 public:
  explicit Progress(const Streams& streams) : streams_(streams) {}
  ~Progress() { end(); }
  Progress(const Progress&) = delete;

  void show(std::string_view text);
  /// Takes the line away, so that others can be written.
  void end();

 private:
  const Streams& streams_;
  bool is_shown_ = false;
};

}  // namespace kml::ui
