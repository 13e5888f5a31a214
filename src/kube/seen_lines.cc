#include "kube/seen_lines.h"

#include <functional>

namespace kml::kube {

namespace {

constexpr std::chrono::seconds kDisorder{1};

uint64_t hash_of(Time time, std::string_view line) {
  // A 64-bit mix of both; the odd factor spreads times that differ in a few bits only.
  return std::hash<std::string_view>()(line) ^
         (static_cast<uint64_t>(time.time_since_epoch().count()) * 0x9E3779B97F4A7C15u);
}

}  // namespace

std::optional<Time> SeenLines::resume_from() const {
  if (seen_.empty()) return {};
  return seen_.rbegin()->first - kDisorder;
}

bool SeenLines::is_new(Time time, std::string_view line) {
  const Second second = std::chrono::floor<std::chrono::seconds>(time);
  const uint64_t hash = hash_of(time, line);
  if (const auto window = again_.find(second); window != again_.end())
    if (const auto count = window->second.find(hash); count != window->second.end() && count->second > 0) {
      --count->second;
      return false;
    }
  ++seen_[second][hash];
  const Second oldest = seen_.rbegin()->first - kDisorder;
  forget_before(seen_, oldest);
  forget_before(again_, oldest);
  return true;
}

void SeenLines::forget_before(Window& window, Second second) {
  window.erase(window.begin(), window.lower_bound(second));
}

}  // namespace kml::kube
