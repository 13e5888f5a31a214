#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kml/base/sha256.h"

namespace kml::pod {

/// The program in an image that computes checksums of files.
enum class SumTool { sha256sum, cksum };

std::string name_of(SumTool tool);

/// The checksum of a file's content in the form that the tool prints: SHA-256, or POSIX's CRC and the size
/// (XCU, cksum).
class ContentSum {
 public:
  explicit ContentSum(SumTool tool) : tool_(tool) {}

  void add(std::string_view bytes);
  /// The checksum of all bytes so far, such as "930766865 9" or 64 hexadecimal digits.
  std::string text() const;

 private:
  SumTool tool_;
  Sha256 sha_;
  uint32_t crc_ = 0;
  uint64_t size_ = 0;
};

/// The line that the tool would print for a file, without the newline.
std::string line_of_sum(SumTool tool, const std::string& sum, const std::string& name);

/// The checksum in a line that the tool printed, with or without a name after it; empty if the line has no
/// checksum.
std::string sum_in_line(SumTool tool, std::string_view line);

}  // namespace kml::pod
