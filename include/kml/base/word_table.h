#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

namespace kml {

/// The word for a value. The array has a pair (value, word) for each value.
template <typename Value, size_t kSize>
std::string_view word_for(const std::pair<Value, std::string_view> (&table)[kSize], Value value) {
  return std::ranges::find(table, value, &std::pair<Value, std::string_view>::first)->second;
}

/// The value that has this word; empty if the array does not contain the word.
template <typename Value, size_t kSize>
std::optional<Value> value_for(const std::pair<Value, std::string_view> (&table)[kSize],
                               std::string_view word) {
  const auto* found = std::ranges::find(table, word, &std::pair<Value, std::string_view>::second);
  if (found == std::end(table)) return {};
  return found->first;
}

}  // namespace kml
