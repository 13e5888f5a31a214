#include "kml/base/clean.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace kml {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
/// No useful color sequence is longer.
constexpr size_t kLongestSgr = 128;

bool is_plain(unsigned char c) {
  return c >= 0x20 && c < 0x7F;
}

/// Whether none of the eight bytes is a control character or outside ASCII.
bool all_plain(const char* bytes) {
  constexpr uint64_t kOnes = 0x0101010101010101, kHigh = 0x8080808080808080;
  uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  // In bytes without the high bit, + 1 sets that bit only in DEL, and - 0x20 only in bytes below a space.
  return (((word + kOnes) | (word - kOnes * 0x20) | word) & kHigh) == 0;
}

bool opens_string(unsigned char kind) {
  return kind == ']' || kind == 'P' || kind == '_' || kind == '^' || kind == 'X';
}

/// Length of the UTF-8 character that starts with this byte; 0 if the byte starts none.
size_t utf8_length(unsigned char c) {
  if (c >= 0xC2 && c <= 0xDF) return 2;
  if (c >= 0xE0 && c <= 0xEF) return 3;
  return c >= 0xF0 && c <= 0xF4 ? 4 : 0;
}

/// Whether the second byte is valid: the character is not overlong, not a surrogate and not too large.
bool fits_second(unsigned char first, unsigned char second) {
  switch (first) {
    case 0xE0: return second >= 0xA0;
    case 0xED: return second <= 0x9F;
    case 0xF0: return second >= 0x90;
    case 0xF4: return second <= 0x8F;
    default: return true;
  }
}

/// Length of the complete, safe character at this position: a tab, or a UTF-8 character that is not a C1
/// control. 0 if there is no such character.
size_t safe_length(std::string_view text, size_t i) {
  const auto byte = [&](size_t at) { return static_cast<unsigned char>(text[at]); };
  if (byte(i) == '\t') return 1;
  const size_t length = utf8_length(byte(i));
  if (length == 0 || i + length > text.size() || !fits_second(byte(i), byte(i + 1))) return 0;
  for (size_t at = i + 1; at < i + length; ++at)
    if ((byte(at) & 0xC0) != 0x80) return 0;
  return byte(i) == 0xC2 && byte(i + 1) <= 0x9F ? 0 : length;
}

/// The end of the run of safe characters that starts at `i`.
size_t safe_end(std::string_view text, size_t i) {
  while (true) {
    while (i + 8 <= text.size() && all_plain(text.data() + i)) i += 8;
    while (i < text.size() && is_plain(static_cast<unsigned char>(text[i]))) ++i;
    const size_t length = i < text.size() ? safe_length(text, i) : 0;
    if (length == 0) return i;
    i += length;
  }
}

}  // namespace

void Cleaner::add(std::string_view text, std::string& out) {
  line_start_ = out.size();
  for (size_t i = 0; i < text.size();) {
    if (state_ == State::text && held_size_ == 0 && !rewrites_) {
      const size_t end = safe_end(text, i);
      out.append(text, i, end - i);
      i = end;
      if (i == text.size()) return;
    }
    if (step(static_cast<unsigned char>(text[i]), out)) ++i;
  }
}

void Cleaner::end(std::string& out) {
  if (held_size_ > 0) out += kReplacement;
  held_size_ = 0;
  state_ = State::text;
  rewrites_ = false;
}

/// Returns false if the byte ended a sequence but does not belong to it; the byte must then be processed
/// again.
bool Cleaner::step(unsigned char c, std::string& out) {
  switch (state_) {
    case State::text:
      if (held_size_ > 0) return utf8_step(c, out);
      text_step(c, out);
      return true;
    case State::escape:
      state_ = State::text;
      if (c < 0x20 || c >= 0x7F) return false;
      control(c);
      return true;
    case State::intermediate:
      if (c >= 0x20 && c <= 0x2F) return true;
      state_ = State::text;
      return c >= 0x30 && c <= 0x7E;
    case State::csi: return csi_step(c, out);
    case State::string:
      if (c == '\a') state_ = State::text;
      if (c == 0xC2) state_ = State::string_c2;
      // if "\" follows, the string ends; otherwise a new sequence starts
      if (c == 0x1B) state_ = State::escape;
      if (c == '\n') state_ = State::text;
      return c != '\n';
    case State::string_c2: state_ = c == 0x9C ? State::text : State::string; return c == 0x9C;
  }
  return true;
}

void Cleaner::text_step(unsigned char c, std::string& out) {
  if (c == '\r') {
    rewrites_ = true;
    return;
  }
  if (rewrites_ && c != '\n') out.resize(line_start_);
  rewrites_ = false;
  if (is_plain(c) || c == '\t') {
    out += static_cast<char>(c);
  } else if (c == '\n') {
    out += '\n';
    line_start_ = out.size();
  } else if (c == 0x1B) {
    state_ = State::escape;
  } else if (c >= 0x80 && c <= 0x9F) {
    // an 8-bit C1 control stands for ESC and the character 0x40 below it
    control(static_cast<unsigned char>(c - 0x40));
  } else if (const size_t length = utf8_length(c)) {
    held_[0] = static_cast<char>(c);
    held_size_ = 1;
    held_length_ = length;
  } else if (c >= 0x80) {
    out += kReplacement;
  }
}

bool Cleaner::utf8_step(unsigned char c, std::string& out) {
  const auto first = static_cast<unsigned char>(held_[0]);
  if ((c & 0xC0) != 0x80 || (held_size_ == 1 && !fits_second(first, c))) {
    out += kReplacement;
    held_size_ = 0;
    return false;
  }
  held_[held_size_++] = static_cast<char>(c);
  if (held_size_ < held_length_) return true;
  held_size_ = 0;
  if (first == 0xC2 && c <= 0x9F)
    control(static_cast<unsigned char>(c - 0x40));  // C1 as UTF-8
  else
    out.append(held_.data(), held_length_);
  return true;
}

/// Handles the character after an ESC, or the character that a C1 control stands for.
void Cleaner::control(unsigned char kind) {
  if (kind == '[') {
    state_ = State::csi;
    parameters_.clear();
  } else if (opens_string(kind)) {
    state_ = State::string;
  } else if (kind >= 0x20 && kind <= 0x2F) {
    state_ = State::intermediate;
  }
}

bool Cleaner::csi_step(unsigned char c, std::string& out) {
  if (c >= 0x20 && c <= 0x3F) {
    if (parameters_.size() <= kLongestSgr) parameters_ += static_cast<char>(c);
    return true;
  }
  state_ = State::text;
  const bool is_colour = c == 'm' && parameters_.size() <= kLongestSgr &&
                         parameters_.find_first_not_of("0123456789;:") == std::string::npos;
  if (is_colour) out.append("\x1B[").append(parameters_) += 'm';
  return c >= 0x40 && c <= 0x7E;
}

std::string clean(std::string_view text) {
  std::string out;
  Cleaner cleaner;
  cleaner.add(text, out);
  cleaner.end(out);
  return out;
}

std::string without_colours(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const size_t escape = text.find("\x1b[");
    plain += text.substr(0, escape);
    if (escape == std::string_view::npos) break;
    text.remove_prefix(escape + 2);
    // Parameter and intermediate bytes are 20 to 3F; the next byte is the final one.
    const auto end = std::find_if(text.begin(), text.end(), [](char c) { return c < 0x20 || c > 0x3F; });
    text.remove_prefix(static_cast<size_t>(end - text.begin()));
    if (!text.empty() && text[0] >= 0x40 && text[0] <= 0x7E) text.remove_prefix(1);
  }
  return plain;
}

}  // namespace kml
