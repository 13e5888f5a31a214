#include "job/tables/live_screen.h"

#include <algorithm>
#include <ostream>

#include "kml/base/clean.h"
#include "kml/ui/table.h"

namespace kml::ui {

namespace {

/// Rows that remain for the lines that scroll above the block.
constexpr size_t kLeastScrolling = 4;

std::string rows_up(size_t rows) {
  return rows == 0 ? "" : "\x1B[" + std::to_string(rows) + "A";
}

/// How many columns the text takes, not including its SGR codes.
size_t shown_width(std::string_view text) {
  return display_width(without_colours(text));
}

}  // namespace

size_t LiveScreen::most_rows() const {
  const size_t rows = screen_.rows();
  return rows > kLeastScrolling ? rows - kLeastScrolling : 1;
}

void LiveScreen::add(FinishedLine line) {
  new_.push_back(std::move(line));
  if (new_.size() <= kMostKept) return;
  // The text in out_ will be printed below the lines in printed_. The lines in printed_ will then no longer
  // be directly above the block, so they can no longer be taken back.
  out_ += format_(new_.front()) + "\n";
  new_.pop_front();
}

bool LiveScreen::take_back(const job::LogSource& source, FinishedLine& line) {
  const auto is_its = [&source](const FinishedLine& other) { return other.source == &source; };
  if (const auto found = std::find_if(new_.rbegin(), new_.rend(), is_its); found != new_.rend()) {
    line = std::move(*found);
    new_.erase(std::next(found).base());
    return true;
  }
  const auto found = std::find_if(printed_.rbegin(), printed_.rend(), is_its);
  const size_t above = static_cast<size_t>(found - printed_.rbegin()) + 1;
  const bool is_on_screen =
      found != printed_.rend() && above + std::max<size_t>(shown_.size(), 1) < screen_.rows();
  if (!is_on_screen || !out_.empty() || screen_.columns() != columns_) return false;
  line = std::move(*found);
  erase_block();
  write(rows_up(above) + "\x1B[J");
  const auto next = std::next(found).base();
  new_.insert(new_.begin(), std::make_move_iterator(std::next(next)),
              std::make_move_iterator(printed_.end()));
  printed_.erase(next, printed_.end());
  return true;
}

/// Erases the block. Requires that the cursor is at the end of the block's last row.
void LiveScreen::erase_block() {
  if (shown_.empty()) return;
  // If the terminal has become narrower, one row may now take several lines.
  size_t rows = 0;
  const size_t columns = std::max<size_t>(screen_.columns(), 1);
  for (const std::string& row : shown_)
    rows += columns < columns_ ? std::max<size_t>((shown_width(row) + columns - 1) / columns, 1) : 1;
  write("\r" + rows_up(rows - 1) + "\x1B[J");
  shown_.clear();
}

void LiveScreen::print(const FinishedLine& line) {
  const std::string text = clean(format_(line));
  if (shown_width(text) <= columns_)
    printed_.push_back(line);
  else
    printed_.clear();
  write(text + "\n");
}

void LiveScreen::print_new() {
  if (!has_lines()) return;
  erase_block();
  if (!out_.empty()) {
    printed_.clear();
    write(clean(out_));
    out_.clear();
  }
  for (const FinishedLine& line : new_) print(line);
  new_.clear();
  while (printed_.size() > kMostKept) printed_.pop_front();
}

void LiveScreen::draw_again(const std::vector<std::string>& rows) {
  write("\r" + rows_up(shown_.size() - 1));
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i > 0) write("\r\n");
    if (i >= shown_.size() || rows[i] != shown_[i]) write(rows[i] + "\x1B[K");
  }
  if (rows.size() < shown_.size()) write("\x1B[J");
}

void LiveScreen::show(std::vector<std::string> rows) {
  const size_t columns = std::max<size_t>(screen_.columns(), 2);
  if (columns != columns_) {
    erase_block();
    printed_.clear();
    columns_ = columns;
  }
  // A row that fills the whole width makes some terminals start a new line.
  for (std::string& row : rows) row = cut_line(clean(row), columns - 1);
  print_new();
  if (rows.empty()) {
    erase_block();
  } else if (shown_.empty()) {
    for (size_t i = 0; i < rows.size(); ++i) write((i > 0 ? "\r\n" : "") + rows[i]);
  } else if (rows != shown_) {
    draw_again(rows);
  }
  shown_ = std::move(rows);
  streams_.out << AsItIs{steer_} << std::flush;
  steer_.clear();
}

void LiveScreen::hide() {
  show({});
  printed_.clear();
}

}  // namespace kml::ui
