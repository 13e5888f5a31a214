#pragma once

#include <chrono>
#include <thread>

namespace kml {

/// Waits until the condition is true. Returns false after a time so long that only a hanging program needs
/// it.
template <typename Condition>
bool eventually(Condition condition, std::chrono::seconds deadline = std::chrono::seconds(300)) {
  const auto end = std::chrono::steady_clock::now() + deadline;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace kml
