#include "kml/base/frames.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "kml/base/sha256.h"

namespace kml {

namespace {

/// 8,000 characters in base64.
constexpr size_t kFrameBytes = 6000;
constexpr size_t kIdDigits = 16;
constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The value of each base64 character; 64 for other characters.
constexpr std::array<unsigned char, 256> kBase64Values = [] {
  std::array<unsigned char, 256> values{};
  for (unsigned char& value : values) value = 64;
  for (size_t i = 0; i < kBase64.size(); ++i)
    values[static_cast<unsigned char>(kBase64[i])] = static_cast<unsigned char>(i);
  return values;
}();

/// The CRC of gzip and Ethernet (ISO 3309).
uint32_t crc32_of(std::string_view bytes) {
  uint32_t sum = 0xFFFFFFFF;
  for (const char c : bytes) {
    sum ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? 0xEDB88320 : 0);
  }
  return ~sum;
}

std::string hex_of(uint32_t value) {
  std::string text;
  for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[value >> shift & 15];
  return text;
}

bool append_decoded(std::string_view text, std::string& out) {
  if (text.size() % 4 != 0) return false;
  for (; !text.empty(); text.remove_prefix(4)) {
    const bool is_last = text.size() == 4;
    const size_t digits = is_last ? std::min<size_t>(text.find('='), 4) : 4;
    uint32_t value = 0;
    for (size_t i = 0; i < 4; ++i) {
      const unsigned digit = i < digits ? kBase64Values[static_cast<unsigned char>(text[i])] : 0;
      if (digit > 63 || (i >= digits && text[i] != '=')) return false;
      value = value << 6 | digit;
    }
    if (digits < 2) return false;
    for (size_t i = 0; i + 1 < digits; ++i) out += static_cast<char>(value >> (16 - 8 * i));
  }
  return true;
}

/// Reads a number and the separator after it from the front of the text, and removes both.
bool take_number(std::string_view& text, char separator, size_t& number) {
  const size_t end = text.find(separator);
  if (end == 0 || end == std::string_view::npos || end > 12) return false;
  number = 0;
  for (const char c : text.substr(0, end)) {
    if (c < '0' || c > '9') return false;
    number = number * 10 + static_cast<size_t>(c - '0');
  }
  text.remove_prefix(end + 1);
  return true;
}

std::string_view take_line(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

}  // namespace

void append_base64(std::string_view bytes, std::string& out) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min<size_t>(3, bytes.size()))) {
    uint32_t value = 0;
    for (size_t i = 0; i < 3; ++i)
      value = value << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
    for (size_t i = 0; i < 4; ++i) out += i <= bytes.size() ? kBase64[value >> (18 - 6 * i) & 63] : '=';
  }
}

std::string frames_note(const Frames& frames) {
  return std::string(kFramesNote) + std::to_string(frames.count) + " " + std::to_string(frames.bytes) + " " +
         frames.sha256 + "\n";
}

bool find_frames_note(std::string_view text, Frames& frames) {
  bool is_found = false;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    if (!line.starts_with(kFramesNote)) continue;
    line.remove_prefix(kFramesNote.size());
    Frames found;
    if (!take_number(line, ' ', found.count) || !take_number(line, ' ', found.bytes)) continue;
    if (!is_sha256_hex(line)) continue;
    found.sha256 = line;
    frames = found;
    is_found = true;
  }
  return is_found;
}

Frames append_frames(std::string_view bytes, std::string& out) {
  Frames frames{(bytes.size() + kFrameBytes - 1) / kFrameBytes, bytes.size(), sha256_hex(bytes)};
  const std::string begin = std::string(kFrameMark) + frames.sha256.substr(0, kIdDigits) + " ";
  const std::string end = "/" + std::to_string(frames.count);
  out += begin + "0" + end + "\n";
  for (size_t i = 0; i < frames.count; ++i) {
    const std::string_view piece = bytes.substr(i * kFrameBytes, kFrameBytes);
    out += begin + std::to_string(i + 1) + end + " " + hex_of(crc32_of(piece)) + " ";
    append_base64(piece, out);
    out += '\n';
  }
  return frames;
}

const char* read_frames(std::string_view log, const Frames& frames, std::string& bytes) {
  const std::string begin = std::string(kFrameMark) + frames.sha256.substr(0, kIdDigits) + " ";
  size_t expected = 0;
  while (!log.empty()) {
    std::string_view line = take_line(log);
    const size_t mark = line.find(begin);
    if (mark == std::string_view::npos || (mark > 0 && expected > 0)) continue;
    line.remove_prefix(mark + begin.size());
    size_t index = 0, count = 0;
    if (!take_number(line, '/', index)) return "a line is damaged";
    if (index < expected) return "a line appears twice";
    if (index > expected) return "a line is missing";
    ++expected;
    if (index == 0) continue;
    if (!take_number(line, ' ', count) || count != frames.count || line.size() < 9)
      return "a line is damaged";
    std::string piece;
    if (!append_decoded(line.substr(9), piece) || hex_of(crc32_of(piece)) != line.substr(0, 8))
      return "a line is damaged";
    bytes += piece;
  }
  if (expected == 0) return "its lines are missing";
  if (expected <= frames.count) return "its end is missing";
  return bytes.size() == frames.bytes && sha256_hex(bytes) == frames.sha256 ? nullptr
                                                                            : "its checksum differs";
}

}  // namespace kml
