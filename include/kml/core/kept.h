#pragma once

#include <deque>
#include <utility>

namespace kml {

/// Keeps a value until the process ends, when its memory goes at once: to take ten thousand JSON objects
/// apart takes longer than to print them. For what a command has in hand when it ends.
template <typename Value>
const Value& kept_to_the_end(Value value) {
  static auto& kept = *new std::deque<Value>;  // never destroyed, and no leak, as it can be reached
  return kept.emplace_back(std::move(value));
}

}  // namespace kml
