#pragma once

#include <deque>
#include <utility>

namespace kml {

/// Keeps a value until the process ends, without ever destroying it: destroying ten thousand JSON objects
/// takes longer than printing them. For values that a command holds until it ends.
template <typename Value>
const Value& kept_to_the_end(Value value) {
  static auto& kept = *new std::deque<Value>;  // never destroyed, and no leak, as it can be reached
  return kept.emplace_back(std::move(value));
}

}  // namespace kml
