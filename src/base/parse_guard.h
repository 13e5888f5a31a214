#pragma once

#include <cstddef>
#include <string_view>

#include "kml/base/memory.h"
#include "kml/base/signals.h"

namespace kml {

/// Stops the parsing of a text whose values take too much memory, or when the user interrupts it. A short
/// text may have very many values: "{}".
class ParseGuard {
 public:
  /// `source` names the text, and must outlive the guard. A value takes up to `value_size` bytes.
  ParseGuard(std::string_view source, size_t value_size) : source_(source), value_size_(value_size) {}

  /// Called for each value. Throws Error: too_large(), or interrupted.
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
