#include "kml/job/logs/shown_lines.h"

#include <algorithm>

#include "kml/job/logs/log_lines.h"
#include "kml/kube/logs/log_stream.h"

namespace kml::job {

void ShownLines::take(const LogLine& line, const OnShown& on_shown) {
  if (line.begins) {
    open_.clear();
    is_too_long_ = false;
  }
  for (std::string_view rest = line.text;;) {
    const size_t end = std::min(rest.find('\r'), rest.size());
    const bool is_last = end == rest.size();
    if (is_last && !line.ends) return append(rest);
    std::string_view shown = rest.substr(0, end);
    if (!open_.empty() || is_too_long_) {
      append(shown);
      shown = open_;
    }
    if (is_last || !shown.empty()) on_shown(shown, !is_last);
    open_.clear();
    is_too_long_ = false;
    if (is_last) return;
    rest.remove_prefix(end + 1);
  }
}

void ShownLines::append(std::string_view text) {
  is_too_long_ = is_too_long_ || open_.size() + text.size() > kube::kLongestPiece;
  if (is_too_long_)
    open_.clear();
  else
    open_ += text;
}

}  // namespace kml::job
