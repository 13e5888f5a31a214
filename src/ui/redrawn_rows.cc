#include "ui/redrawn_rows.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "kml/ui/table.h"

namespace kml::ui {

namespace {

/// A longer row continues in the next row, as on a terminal.
constexpr size_t kWidestRow = 4096;
constexpr size_t kMostStyles = 1024, kLongestStyle = 64, kLongestCharacter = 32, kLongestParameters = 160;
constexpr size_t kTab = 8;
constexpr std::string_view kPlain = "\x1B[0m";
constexpr std::string_view kActs = "ABCDEFGJK";

/// The first number in the parameters of a sequence; `usual` if there is none.
size_t first_number(std::string_view parameters, size_t usual) {
  size_t number = 0;
  const auto [end, failure] =
      std::from_chars(parameters.data(), parameters.data() + parameters.size(), number);
  if (failure == std::errc::result_out_of_range) return kWidestRow;
  return failure == std::errc() ? std::min(number, kWidestRow) : usual;
}

/// The length in bytes of the first character in a valid UTF-8 text.
size_t character_length(std::string_view text) {
  size_t length = 1;
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) ++length;
  return length;
}

}  // namespace

void Row::put(size_t column, Cell cell) {
  if (column >= cells_.size()) cells_.resize(column + 1);
  cells_[column] = std::move(cell);
}

void Row::combine(size_t column, std::string_view mark) {
  if (column < cells_.size() && cells_[column].text.size() + mark.size() <= kLongestCharacter)
    cells_[column].text += mark;
}

void Row::erase(size_t from, size_t to) {
  if (to >= cells_.size()) return cells_.resize(std::min(from, cells_.size()));
  std::fill(cells_.begin() + static_cast<std::ptrdiff_t>(std::min(from, to)),
            cells_.begin() + static_cast<std::ptrdiff_t>(to), Cell{});
}

std::string Row::text(const std::vector<std::string>& styles) const {
  std::string text;
  uint16_t style = 0;
  size_t end = cells_.size();
  while (end > 0 && cells_[end - 1].text == " " && cells_[end - 1].style == 0) --end;
  for (size_t i = 0; i < end; ++i) {
    if (cells_[i].style != style) {
      if (style != 0) text += kPlain;
      style = cells_[i].style;
      text += styles[style];
    }
    text += cells_[i].text;
  }
  if (style != 0) text += kPlain;
  return text;
}

bool Row::is_empty() const {
  return std::all_of(cells_.begin(), cells_.end(),
                     [](const Cell& cell) { return cell.text == " " && cell.style == 0; });
}

void RowStyles::add(std::string_view code) {
  codes_ += code;
  if (code == "\x1B[m" || code == kPlain || code.starts_with("\x1B[0;") || codes_.size() > kLongestStyle)
    codes_ = code == "\x1B[m" || code == kPlain ? "" : std::string(code);
  const auto known = std::find(all_.begin(), all_.end(), codes_);
  current_ = static_cast<uint16_t>(known - all_.begin());
  if (known != all_.end()) return;
  if (all_.size() >= kMostStyles)
    current_ = 0;
  else
    all_.push_back(codes_);
}

std::string RowStyles::reset() {
  current_ = 0;
  return std::exchange(codes_, {});
}

void RedrawnRows::add(std::string_view text) {
  while (!text.empty()) {
    const size_t plain = state_ == State::text ? text.find_first_of("\r\b\x1B") : 0;
    if (plain > 0) pass(text.substr(0, plain));
    if (plain == std::string_view::npos) return;
    step(text[plain]);
    text.remove_prefix(plain + 1);
  }
}

void RedrawnRows::step(char c) {
  if (c == '\x1B') {  // an escape character ends an incomplete sequence
    state_ = State::escape;
    return;
  }
  if (state_ == State::text) {
    if (c == '\r')
      column_ = 0;
    else if (c == '\b')
      column_ -= column_ > 0 ? 1 : 0;
    else
      pass({&c, 1});
  } else if (state_ == State::escape) {
    state_ = c == '[' ? State::csi : State::text;
    parameters_.clear();
    if (c != '[') pass(std::string("\x1B") + c);
  } else if (c >= 0x20 && c <= 0x3F) {
    if (parameters_.size() < kLongestParameters) parameters_ += c;
  } else {
    state_ = State::text;
    // The cleaner gets each whole sequence, and keeps it if it is a color.
    if (static_cast<unsigned char>(c) < 0x20) return step(c);
    pass("\x1B[" + parameters_ + c);
    if (kActs.find(c) != std::string_view::npos) act(c);
  }
}

void RedrawnRows::pass(std::string_view text) {
  safe_.clear();
  cleaner_.add(text, safe_);
  put(safe_);
}

void RedrawnRows::put(std::string_view safe) {
  while (!safe.empty()) {
    if (safe[0] == '\x1B') {
      const size_t end = safe.find('m') + 1;
      styles_.add(safe.substr(0, end));
      safe.remove_prefix(end);
      continue;
    }
    const size_t length = character_length(safe);
    put_character(safe.substr(0, length));
    safe.remove_prefix(length);
  }
}

void RedrawnRows::put_character(std::string_view character) {
  if (character == "\t") {
    do put_character(" ");
    while (column_ % kTab != 0);
    return;
  }
  if (display_width(character) == 0) {
    if (column_ > 0) rows_[row_].combine(column_ - 1, character);
    return;
  }
  if (column_ >= kWidestRow) go_to_next_row();
  rows_[row_].put(column_++, {std::string(character), styles_.current()});
}

void RedrawnRows::act(char kind) {
  const size_t count = std::max(first_number(parameters_, 1), size_t{1});
  const size_t part = first_number(parameters_, 0);
  switch (kind) {
    case 'A': return move_up(count);
    case 'B': row_ = std::min(row_ + count, rows_.size() - 1); return;
    case 'C': column_ = std::min(column_ + count, kWidestRow); return;
    case 'D': column_ -= std::min(column_, count); return;
    case 'E':
      row_ = std::min(row_ + count, rows_.size() - 1);
      column_ = 0;
      return;
    case 'F': column_ = 0; return move_up(count);
    case 'G': column_ = count - 1; return;
    case 'J':
      if (part == 1) return;
      if (part >= 2) std::fill(rows_.begin(), rows_.end(), Row());
      rows_.resize(row_ + 1);
      return rows_[row_].erase(column_, kWidestRow);
    case 'K': return rows_[row_].erase(part == 0 ? column_ : 0, part == 1 ? column_ + 1 : kWidestRow);
    default: return;
  }
}

/// Takes back rows that were treated as complete too early. If a row cannot be taken back, adds an empty row
/// in its place.
void RedrawnRows::move_up(size_t count) {
  lines_since_up_ = 0;
  for (; row_ < count && rows_.size() < kMostRows; ++row_) {
    Finished before;
    const bool is_back = owner_.take_back(before);
    const size_t column = std::exchange(column_, 0);
    const size_t row = std::exchange(row_, 0);
    const std::string style = styles_.reset();
    rows_.insert(rows_.begin(), Row());
    rows_[0].stamp = before.stamp;
    if (is_back) put(before.text);
    styles_.reset();
    styles_.add(style);
    row_ = row;
    column_ = column;
  }
  const size_t moved = std::min(count, row_);
  row_ -= moved;
  reach_ = std::max(reach_, moved);
}

/// Resets the color, because a color that is still on would affect the next line, too.
void RedrawnRows::new_line() {
  cleaner_.end(safe_);
  state_ = State::text;
  styles_.reset();
  go_to_next_row();
}

void RedrawnRows::go_to_next_row() {
  column_ = 0;
  if (++row_ == rows_.size()) rows_.emplace_back();
  if (++lines_since_up_ > reach_) reach_ = 0;  // the program has stopped redrawing that many rows
  release(reach_);
}

void RedrawnRows::release(size_t most_above) {
  while (row_ > most_above) {
    drop_first();
    --row_;
  }
}

void RedrawnRows::drop_first() {
  Finished first{rows_[0].stamp, rows_[0].text(styles_.all())};
  rows_.erase(rows_.begin());
  if (rows_.empty()) rows_.emplace_back();
  owner_.on_finished(std::move(first));
}

void RedrawnRows::finish() {
  while (rows_.size() > 1 && rows_.back().is_empty()) rows_.pop_back();
  if (rows_.size() > 1 || !rows_[0].is_empty())
    for (size_t left = rows_.size(); left > 0; --left) drop_first();
  row_ = column_ = reach_ = 0;
}

void RedrawnRows::start_again() {
  rows_[row_] = Row();
  column_ = 0;
  state_ = State::text;
  cleaner_ = {};
}

bool RedrawnRows::is_empty() const {
  return rows_.size() == 1 && reach_ == 0 && state_ == State::text && styles_.current() == 0 &&
         rows_[0].is_empty();
}

std::vector<RedrawnRows::Finished> RedrawnRows::shown() const {
  size_t end = rows_.size();
  while (end > 0 && rows_[end - 1].is_empty()) --end;
  std::vector<Finished> shown;
  for (size_t i = 0; i < end; ++i) shown.push_back({rows_[i].stamp, rows_[i].text(styles_.all())});
  return shown;
}

bool moves_cursor(std::string_view text) {
  for (size_t at = 0; (at = text.find_first_of("\r\b\x1B", at)) != std::string_view::npos;) {
    if (text[at] != '\x1B') return true;
    if (++at == text.size() || text[at] != '[') continue;
    at = std::min(text.find_first_not_of("0123456789;:<=>?", at + 1), text.size());
    if (at < text.size() && kActs.find(text[at]) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace kml::ui
