#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

namespace kml {

/// The word for a value, from an array of pairs (value, word) that has each value.
template <typename Value, size_t kSize>
std::string_view word_for(const std::pair<Value, std::string_view> (&table)[kSize], Value value) {
  return std::ranges::find(table, value, &std::pair<Value, std::string_view>::first)->second;
}

/// The value with that word; empty if the array has no such word.
template <typename Value, size_t kSize>
std::optional<Value> value_for(const std::pair<Value, std::string_view> (&table)[kSize],
                               std::string_view word) {
  const auto* found = std::ranges::find(table, word, &std::pair<Value, std::string_view>::second);
  if (found == std::end(table)) return {};
  return found->first;
}

}  // namespace kml
