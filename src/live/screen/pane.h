#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "live/screen/canvas.h"
#include "ui/redrawn_rows.h"

namespace kml::live {

/// The output of a command as on a terminal of its own: lines that scroll, and below them rows that the
/// command redraws, such as progress bars.
class Pane {
 public:
  using OnLine = std::function<void(const std::string& line)>;
  /// `on_line` receives each complete line.
  explicit Pane(OnLine on_line = {});
  Pane(const Pane&) = delete;
  Pane& operator=(const Pane&) = delete;

  /// Adds what the command has written.
  void add(std::string_view bytes);
  /// Call this when the command has ended.
  void end();
  bool has_ended() const { return has_ended_; }

  /// Scrolls up (negative) or down. If the last line is shown, new lines scroll the text up.
  void scroll(long long lines);
  void scroll_to_first() { scroll(-kFar); }
  void scroll_to_last() { is_at_end_ = true; }
  /// Stays at the first line while text arrives.
  void show_from_top() {
    is_at_end_ = false;
    first_ = 0;
  }

  /// Draws lines in the rows from `top` to `end` - 1: the last lines or, if the user has scrolled, the lines
  /// at the scroll position.
  void draw(Canvas& canvas, size_t top, size_t end);
  /// All lines, without styles.
  std::vector<std::string> text() const;
  bool is_empty() const { return lines_.empty() && rows_.is_empty(); }

 private:
  static constexpr long long kFar = 1'000'000'000;
  static constexpr size_t kMostLines = 5000;
  std::vector<std::string> shown() const;

  OnLine on_line_;
  std::deque<std::string> lines_;
  size_t dropped_ = 0;  ///< how many lines before `lines_` are not kept
  ui::RedrawnRows rows_;
  bool has_ended_ = false, is_at_end_ = true;
  size_t first_ = 0;  ///< the first line that is shown, if the user has scrolled
  size_t page_ = 1;
};

}  // namespace kml::live
