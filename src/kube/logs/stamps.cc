#include "kube/logs/stamps.h"

#include <algorithm>

namespace kml::kube {

size_t Stamps::read_in_full(std::string_view line, Time& time) {
  constexpr size_t kLongest = 36;
  const size_t length = std::min(line.substr(0, kLongest).find(' '), line.size());
  const auto parsed = parse_rfc3339(line.substr(0, length));
  if (!parsed) return 0;
  time = *parsed;
  const std::string_view zone = line.substr(std::min(kPoint + 10, line.size()));
  const bool fixed = length > kPoint + 10 && length < line.size() && line[kPoint] == '.' &&
                     (zone[0] == 'Z' || zone[0] == '+' || zone[0] == '-');
  if (fixed) {
    std::copy_n(line.data(), kPoint + 1, second_text_);
    second_ = std::chrono::floor<std::chrono::seconds>(time);
    zone_ = zone.substr(0, length + 1 - (kPoint + 10));
  }
  return length;
}

}  // namespace kml::kube
