#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "kml/base/clock.h"

namespace kml::kube {

/// Reads the time at the start of log lines such as "2026-01-01T00:00:10.000000001Z text", which the kubelet
/// writes with timestamps=true, in UTC or with the node's offset. Lines within the same second differ only in
/// nine digits, so only the first of them is fully parsed.
class Stamps {
 public:
  /// Returns the length of the timestamp. If the line has none, returns 0 and leaves `time` unchanged.
  size_t read(std::string_view line, Time& time) {
    if (line.size() > kPoint + 9 && std::memcmp(line.data(), second_text_, kPoint + 1) == 0 &&
        line.substr(kPoint + 10, zone_.size()) == zone_) {
      int64_t fraction = 0;
      bool digits = true;
      for (size_t i = kPoint + 1; i < kPoint + 10; ++i) {
        const unsigned digit = static_cast<unsigned char>(line[i]) - unsigned{'0'};
        digits &= digit < 10;
        fraction = fraction * 10 + digit;
      }
      if (digits) {
        time = second_ + nanoseconds(fraction);
        return kPoint + 10 + zone_.size() - 1;
      }
    }
    return read_in_full(line, time);
  }

 private:
  static constexpr size_t kPoint = 19;  ///< the position of the decimal point

  size_t read_in_full(std::string_view line, Time& time);

  char second_text_[kPoint + 1] = {};  ///< "2026-01-01T00:00:10."
  Time second_{};
  std::string zone_ = " ";  ///< the text after the fraction, such as "Z " or "+02:00 "
};

}  // namespace kml::kube
