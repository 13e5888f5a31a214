#include "pod/copy/content_sum.h"

#include <array>

namespace kml::pod {

namespace {

constexpr std::array<uint32_t, 256> crc_table() {
  constexpr uint32_t kPolynomial = 0x04C11DB7;
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < table.size(); ++i) {
    uint32_t value = i << 24;
    for (int bit = 0; bit < 8; ++bit) value = value << 1 ^ (value >> 31 != 0 ? kPolynomial : 0);
    table[i] = value;
  }
  return table;
}

uint32_t crc_with(uint32_t crc, unsigned char byte) {
  static constexpr std::array<uint32_t, 256> kTable = crc_table();
  return crc << 8 ^ kTable[crc >> 24 ^ byte];
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::string name_of(SumTool tool) {
  return tool == SumTool::sha256sum ? "sha256sum" : "cksum";
}

void ContentSum::add(std::string_view bytes) {
  if (tool_ == SumTool::sha256sum) return sha_.add(bytes);
  size_ += bytes.size();
  for (const char byte : bytes) crc_ = crc_with(crc_, static_cast<unsigned char>(byte));
}

std::string ContentSum::text() const {
  if (tool_ == SumTool::sha256sum) return sha_.hex();
  uint32_t crc = crc_;
  for (uint64_t left = size_; left > 0; left >>= 8) crc = crc_with(crc, static_cast<unsigned char>(left));
  return std::to_string(~crc) + " " + std::to_string(size_);
}

std::string line_of_sum(SumTool tool, const std::string& sum, const std::string& name) {
  return sum + (tool == SumTool::sha256sum ? "  " : " ") + name;
}

std::string sum_in_line(SumTool tool, std::string_view line) {
  const size_t end = line.find(' ');
  if (tool == SumTool::sha256sum) {
    const std::string_view word = line.substr(0, end);
    return is_sha256_hex(word) ? std::string(word) : std::string();
  }
  if (end == std::string_view::npos) return {};
  const std::string_view both = line.substr(0, line.find(' ', end + 1));
  return is_number(both.substr(0, end)) && is_number(both.substr(end + 1)) ? std::string(both)
                                                                           : std::string();
}

}  // namespace kml::pod
