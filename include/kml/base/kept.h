#pragma once

#include <deque>
#include <utility>

namespace kml {

/// Keeps a value until the process ends, and never destroys it. Destroying ten thousand JSON objects would
/// take longer than printing them. Meant for values that a command needs until it ends.
template <typename Value>
const Value& kept_to_the_end(Value value) {
  static auto& kept = *new std::deque<Value>;  // this is not a leak, because the value can still be reached
  return kept.emplace_back(std::move(value));
}

}  // namespace kml
