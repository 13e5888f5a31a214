#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "kml/base/error.h"

namespace kml::fuzz {

inline std::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Removes the input up to and including the first byte `end`, or all of it if there is none. Returns the
/// removed part without `end`.
inline std::string_view take_until(std::string_view& input, char end) {
  const std::string_view part = input.substr(0, input.find(end));
  input.remove_prefix(std::min(input.size(), part.size() + 1));
  return part;
}

/// Runs the call. An Error is allowed; other exceptions and reports of the sanitizers are faults.
template <typename Call>
void refuse_or(const Call& call) {
  try {
    call();
  } catch (const Error&) {
  }
}

/// Reports a fault if the condition is false.
inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace kml::fuzz
