#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/clean.h"

namespace kml::ui {

/// One row of a terminal: characters that can be overwritten, each with its style.
class Row {
 public:
  /// A character with its combining marks, and the number of its style.
  struct Cell {
    std::string text = " ";
    uint16_t style = 0;
  };

  void put(size_t column, Cell cell);
  /// Adds a combining mark, such as an accent, to the previous character.
  void combine(size_t column, std::string_view mark);
  void erase(size_t from, size_t to);
  size_t size() const { return cells_.size(); }
  /// The text with SGR codes, without spaces at its end.
  std::string text(const std::vector<std::string>& styles) const;
  bool is_empty() const;

  std::string stamp = {};  ///< of the last line written to this row

 private:
  std::vector<Cell> cells_;
};

/// The styles of a program's text, numbered as they come; 0 is none. Their number is bounded for any input.
class RowStyles {
 public:
  /// An SGR sequence: the style from now on.
  void add(std::string_view code);
  uint16_t current() const { return current_; }
  /// Ends the current style, and returns its codes.
  std::string reset();
  /// The codes of all styles, by number.
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_ = {""};
  std::string codes_;  ///< of the current one
  uint16_t current_ = 0;
};

/// The rows that one program redraws, as if it had a separate terminal. '\r', backspace, cursor movements
/// and erasures affect only these rows. Of other sequences, only colors are kept (see Cleaner). A row is
/// finished when the cursor is below it and, judging by the program's earlier movements, will not return to
/// it. Memory use is bounded for any input.
class RedrawnRows {
 public:
  struct Finished {
    std::string stamp, text;
  };
  struct Owner {
    std::function<void(Finished)> on_finished;
    /// Called when the cursor moves above these rows: returns the last finished row if possible.
    std::function<bool(Finished&)> take_back;
  };
  /// Programs do not redraw more rows than this; further rows are treated as finished.
  static constexpr size_t kMostRows = 16;

  explicit RedrawnRows(Owner owner) : owner_(std::move(owner)) {}

  /// Sets the timestamp of the line in the cursor's row.
  void set_stamp(std::string_view stamp) { rows_[row_].stamp = stamp; }
  /// Adds any bytes except newlines. They may be cut anywhere.
  void add(std::string_view text);
  void new_line();
  /// Ends the input and finishes all rows.
  void finish();
  /// Clears the cursor's row, because its text will be repeated.
  void start_again();

  /// Whether no text is shown and no sequence is unfinished.
  bool is_empty() const;
  /// The visible rows without empty ones at the end; `cursor` is the index of the cursor's row.
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
  std::string parameters_;  ///< of the current CSI sequence
  Cleaner cleaner_;
  std::vector<Row> rows_ = std::vector<Row>(1);
  size_t row_ = 0, column_ = 0;
  size_t reach_ = 0;           ///< how far up the program has recently moved the cursor
  size_t lines_since_up_ = 0;  ///< new lines since then
  RowStyles styles_;
  std::string safe_;  ///< a member only to reuse its memory
};

/// Whether a text contains any sequence that RedrawnRows handles.
bool moves_cursor(std::string_view text);

}  // namespace kml::ui
