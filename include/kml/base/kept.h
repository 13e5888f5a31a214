#pragma once

#include <deque>
#include <utility>

namespace kml {

/// Keeps a value until the process ends and never destroys it, because destroying ten thousand JSON objects
/// takes longer than printing them. Use it for values that a command needs until it ends.
template <typename Value>
const Value& kept_to_the_end(Value value) {
  static auto& kept = *new std::deque<Value>;  // never destroyed; not a leak, because it stays reachable
  return kept.emplace_back(std::move(value));
}

}  // namespace kml
