#include "live/screen/pane.h"

#include <algorithm>
#include <utility>

#include "kml/base/clean.h"

namespace kml::live {

Pane::Pane(OnLine on_line)
    : on_line_(std::move(on_line)),
      rows_({.on_finished =
                 [this](ui::RedrawnRows::Finished line) {
                   if (on_line_) on_line_(without_colours(line.text));
                   lines_.push_back(std::move(line.text));
                   if (lines_.size() <= kMostLines) return;
                   lines_.pop_front();
                   ++dropped_;
                   if (first_ > 0) --first_;
                 },
             .take_back =
                 [this](ui::RedrawnRows::Finished& line) {
                   if (lines_.empty()) return false;
                   line.text = std::move(lines_.back());
                   lines_.pop_back();
                   return true;
                 }}) {}

void Pane::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    rows_.add(bytes.substr(0, end));
    if (end == std::string_view::npos) return;
    rows_.new_line();
    bytes.remove_prefix(end + 1);
  }
}

void Pane::end() {
  rows_.finish();
  has_ended_ = true;
}

std::vector<std::string> Pane::shown() const {
  std::vector<std::string> all;
  if (dropped_ > 0) all.push_back("… " + std::to_string(dropped_) + " earlier lines are not kept here");
  all.insert(all.end(), lines_.begin(), lines_.end());
  for (ui::RedrawnRows::Finished& row : rows_.shown()) all.push_back(std::move(row.text));
  return all;
}

void Pane::scroll(long long by) {
  const auto count = static_cast<long long>(shown().size()), page = static_cast<long long>(page_);
  const long long last = std::max(count - page, 0LL);
  const long long from = is_at_end_ ? last : static_cast<long long>(first_);
  const long long to = std::clamp(from + by, 0LL, last);
  first_ = static_cast<size_t>(to);
  is_at_end_ = to == last;
}

void Pane::draw(Canvas& canvas, size_t top, size_t end) {
  page_ = end > top ? end - top : 0;
  const std::vector<std::string> all = shown();
  const size_t last = all.size() > page_ ? all.size() - page_ : 0;
  const size_t first = is_at_end_ ? last : std::min(first_, last);
  for (size_t i = 0; i < page_ && first + i < all.size(); ++i) canvas.put(top + i, 0, all[first + i]);
}

std::vector<std::string> Pane::text() const {
  std::vector<std::string> all = shown();
  for (std::string& line : all) line = without_colours(line);
  return all;
}

}  // namespace kml::live
