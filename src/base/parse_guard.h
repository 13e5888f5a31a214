#pragma once

#include <cstddef>
#include <string_view>

#include "kml/base/memory.h"
#include "kml/base/signals.h"

namespace kml {

/// Stops parsing if the text's values take too much memory, or if the user interrupts it. Even a short text
/// may have very many values: "[{},{},…".
class ParseGuard {
 public:
  /// `source` is the name of the text for messages, and must outlive the guard. One value takes up to
  /// `value_size` bytes.
  ParseGuard(std::string_view source, size_t value_size) : source_(source), value_size_(value_size) {}

  /// Called for each value. Throws Error if the text is too large or the user interrupts.
  void take_value() {
    constexpr size_t kBetweenLooks = 50'000;
    if (++values_ % kBetweenLooks != 0) return;
    throw_if_interrupted();
    require_memory(source_, kBetweenLooks * value_size_);
  }

 private:
  std::string_view source_;
  size_t value_size_;
  size_t values_ = 0;
};

}  // namespace kml
