#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "kml/core/error.h"

namespace kml::fuzz {

inline std::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// What comes before the first such byte; the input then begins behind it.
inline std::string_view take_until(std::string_view& input, char end) {
  const std::string_view part = input.substr(0, input.find(end));
  input.remove_prefix(std::min(input.size(), part.size() + 1));
  return part;
}

/// Anything may be refused by an Error; all other exceptions, and what the sanitizers see, are faults.
template <typename Call>
void refuse_or(const Call& call) {
  try {
    call();
  } catch (const Error&) {
  }
}

/// A fault, where it does not hold.
inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace kml::fuzz
