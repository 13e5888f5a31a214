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

/// A TensorFlow event file that arrives in pieces. Its framing is that of TFRecord
/// (tensorflow/core/lib/io/record_writer.h), its records are messages Event
/// (tensorflow/core/util/event.proto, tensorflow/core/framework/summary.proto and tensor.proto). Other
/// summaries, such as histograms and images, are skipped.
class EventFile {
 public:
  /// Returns the scalars whose records are complete with these bytes. After a record with a wrong checksum or
  /// an invalid message, the file has no more scalars, because its framing is lost.
  std::vector<EventScalar> add(std::string_view bytes);

 private:
  std::string rest_;  ///< an incomplete record
  bool is_broken_ = false;
};

/// CRC-32C (Castagnoli), as in RFC 3720, B.4.
std::uint32_t crc32c(std::string_view bytes);

}  // namespace kml::engine
