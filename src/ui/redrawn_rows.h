#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/core/clean.h"

namespace kml::ui {

/// One row of a terminal as characters that can be written over, each with the colours it was written in.
class Row {
 public:
  /// A character with what combines with it, in the style of that number.
  struct Cell {
    std::string text = " ";
    uint16_t style = 0;
  };

  void put(size_t column, Cell cell);
  /// Adds to the character before, as an accent does.
  void combine(size_t column, std::string_view mark);
  void erase(size_t from, size_t to);
  size_t size() const { return cells_.size(); }
  /// With SGR codes, and without the spaces at its end.
  std::string text(const std::vector<std::string>& styles) const;
  bool is_empty() const;

  std::string stamp = {};  ///< of the line that stood here last

 private:
  std::vector<Cell> cells_;
};

/// The rows that one program redraws, as a terminal of its own shows them: '\r', backspace, the cursor's
/// moves and what erases act on these rows alone, and of other sequences only colours stay (see Cleaner). A
/// row is finished once the cursor has left it downwards, and no program that moved it up before may still
/// come back. Memory is bounded whatever comes.
class RedrawnRows {
 public:
  struct Finished {
    std::string stamp, text;
  };
  struct Owner {
    std::function<void(Finished)> on_finished;
    /// The cursor moves above the rows that are here: gives the last finished one back, where that can be.
    std::function<bool(Finished&)> take_back;
  };
  /// More rows than that nobody redraws; further ones are finished.
  static constexpr size_t kMostRows = 16;

  explicit RedrawnRows(Owner owner) : owner_(std::move(owner)) {}

  /// The row that the cursor is in is of a line with that time.
  void set_stamp(std::string_view stamp) { rows_[row_].stamp = stamp; }
  /// Any bytes but a newline, cut anywhere.
  void add(std::string_view text);
  void new_line();
  /// Nothing more comes: all rows are finished.
  void finish();
  /// Forgets the text of the row that the cursor is in: it comes again.
  void start_again();

  /// Nothing is shown, and nothing was begun.
  bool is_empty() const;
  /// What is shown, the cursor's row among it at `cursor`. Empty rows at the end are left out.
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
  void set_style(std::string_view code);

  const Owner owner_;
  State state_ = State::text;
  std::string parameters_;  ///< of a CSI sequence
  Cleaner cleaner_;
  std::vector<Row> rows_ = std::vector<Row>(1);
  size_t row_ = 0, column_ = 0;
  size_t reach_ = 0;           ///< how far up the program has moved the cursor lately
  size_t lines_since_up_ = 0;  ///< new lines since it did
  std::vector<std::string> styles_ = {""};
  std::string style_codes_;
  uint16_t style_ = 0;
  std::string safe_;  ///< only to keep its memory
};

/// Whether a text has any of what RedrawnRows acts on.
bool moves_cursor(std::string_view text);

}  // namespace kml::ui
