#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/clean.h"

namespace kml::ui {

/// A row of a terminal, whose characters can be overwritten. Each character has a style.
class Row {
 public:
  /// A character with its combining marks, and the number of its style.
  struct Cell {
    std::string text = " ";
    uint16_t style = 0;
  };

  void put(size_t column, Cell cell);
  /// Adds a combining mark, such as an accent, to the character in this column.
  void combine(size_t column, std::string_view mark);
  void erase(size_t from, size_t to);
  size_t size() const { return cells_.size(); }
  /// The text with SGR codes, and without unstyled spaces at its end.
  std::string text(const std::vector<std::string>& styles) const;
  bool is_empty() const;

  std::string stamp = {};  ///< the timestamp of the last line written to this row

 private:
  std::vector<Cell> cells_;
};

/// The styles of a program's text, numbered in the order in which they occur. 0 means no style. The number of
/// styles is limited, whatever the input is.
class RowStyles {
 public:
  /// Adds an SGR sequence, which applies to the following text.
  void add(std::string_view code);
  uint16_t current() const { return current_; }
  /// Ends the current style, and returns its codes.
  std::string reset();
  /// The codes of all styles, by number.
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_ = {""};
  std::string codes_;  ///< the codes of the current style
  uint16_t current_ = 0;
};

/// The rows that a program redraws, as if it had its own terminal. '\r', backspace, cursor movements and
/// erasures affect only these rows. Of all other sequences, only colors are kept (see Cleaner). A row is
/// complete when the cursor is below it and, judging by the program's earlier movements, will not return to
/// it. Memory use is limited, whatever the input is.
class RedrawnRows {
 public:
  struct Finished {
    std::string stamp, text;
  };
  struct Owner {
    std::function<void(Finished)> on_finished;
    /// Called if the cursor moves above these rows. If the last complete row can be taken back, stores it in
    /// the argument and returns true.
    std::function<bool(Finished&)> take_back;
  };
  /// How many rows can be redrawn. Rows above these stay complete.
  static constexpr size_t kMostRows = 16;

  explicit RedrawnRows(Owner owner) : owner_(std::move(owner)) {}

  /// Sets the timestamp of the line in the row where the cursor is.
  void set_stamp(std::string_view stamp) { rows_[row_].stamp = stamp; }
  /// Adds a piece of text, which may end anywhere and contain any bytes except newlines.
  void add(std::string_view text);
  void new_line();
  /// Ends the input, so that all rows are complete.
  void finish();
  /// Clears the row where the cursor is, because its text will be repeated.
  void start_again();

  /// Whether nothing is left to remember: no text, style, incomplete sequence, or rows to be redrawn.
  bool is_empty() const;
  /// The visible rows, without empty ones at the end. `cursor` is the index of the row where the cursor is.
  std::vector<Finished> shown() const;
  size_t cursor() const { return row_; }

 private:
  enum class State { text, escape, csi };
  void step(char c);
  void pass(std::string_view text);
  void put(std::string_view safe);
  void put_character(std::string_view character);
  void act(char kind);
  void move_up(size_t count);
  void go_to_next_row();
  void release(size_t most_above);
  void drop_first();

  const Owner owner_;
  State state_ = State::text;
  std::string parameters_;  ///< the parameters of the current CSI sequence
  Cleaner cleaner_;
  std::vector<Row> rows_ = std::vector<Row>(1);
  size_t row_ = 0, column_ = 0;
  size_t reach_ = 0;           ///< how far up the program has moved the cursor recently
  size_t lines_since_up_ = 0;  ///< how many new lines came after the last move up
  RowStyles styles_;
  std::string safe_;  ///< a member only so that its memory is reused
};

/// Whether a text contains a character or sequence with which RedrawnRows moves the cursor or erases text.
bool moves_cursor(std::string_view text);

}  // namespace kml::ui
