#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kml::engine {

/// A scalar that a program wrote for TensorBoard.
struct EventScalar {
  std::string tag;
  double value = 0;
  double step = 0;
};

/// A TensorFlow event file that arrives in pieces. It uses the TFRecord format
/// (tensorflow/core/lib/io/record_writer.h), and its records are Event messages
/// (tensorflow/core/util/event.proto, tensorflow/core/framework/summary.proto and tensor.proto). Skips other
/// summaries, such as histograms and images.
class EventFile {
 public:
  /// Adds bytes, and returns the scalars in the records that are now complete. A record with a wrong checksum
  /// or an invalid message ends the file: it yields no more scalars, because the next record's start is
  /// unknown.
  std::vector<EventScalar> add(std::string_view bytes);

 private:
  std::string rest_;  ///< the start of an incomplete record
  bool is_broken_ = false;
};

/// CRC-32C (Castagnoli), as in RFC 3720, B.4.
std::uint32_t crc32c(std::string_view bytes);

}  // namespace kml::engine
