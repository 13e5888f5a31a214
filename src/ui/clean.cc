#include "kml/ui/clean.h"

namespace kml::ui {

namespace {

/// Length of the well-formed UTF-8 sequence at the start of the text; 0 where there is none.
size_t utf8_length(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  auto tail = [&](size_t i) { return i < text.size() && (byte(i) & 0xC0) == 0x80; };
  unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return tail(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    if (!tail(1) || !tail(2)) return 0;
    bool overlong = first == 0xE0 && byte(1) < 0xA0;
    bool surrogate = first == 0xED && byte(1) > 0x9F;
    return overlong || surrogate ? 0 : 3;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (!tail(1) || !tail(2) || !tail(3)) return 0;
    bool overlong = first == 0xF0 && byte(1) < 0x90;
    bool too_large = first == 0xF4 && byte(1) > 0x8F;
    return overlong || too_large ? 0 : 4;
  }
  return 0;
}

/// End of a control sequence's parameters and final byte, from after its introducer.
size_t csi_end(std::string_view text, size_t i) {
  while (i < text.size() && text[i] >= 0x20 && text[i] <= 0x3F) ++i;
  if (i < text.size() && text[i] >= 0x40 && text[i] <= 0x7E) ++i;
  return i;
}

/// End of a string sequence (OSC, DCS, APC, PM, SOS): BEL, ST in either form, or a newline, which stays.
size_t string_end(std::string_view text, size_t i) {
  for (; i < text.size(); ++i) {
    if (text[i] == '\a') return i + 1;
    if (text[i] == '\n') return i;
    if (text[i] == '\x1B') return i + 1 < text.size() && text[i + 1] == '\\' ? i + 2 : i;
    if (text.substr(i, 2) == "\xC2\x9C") return i + 2;
  }
  return i;
}

bool opens_string(unsigned char c) {
  return c == ']' || c == 'P' || c == '_' || c == '^' || c == 'X';
}

bool is_sgr(std::string_view parameters_and_final) {
  return parameters_and_final.ends_with('m') &&
         parameters_and_final.find_first_not_of("0123456789;:") == parameters_and_final.size() - 1;
}

}  // namespace

std::string clean(std::string_view text) {
  std::string out;
  size_t line_start = 0;
  for (size_t i = 0; i < text.size();) {
    auto c = static_cast<unsigned char>(text[i]);
    // C1 as UTF-8 (C2 80 … C2 9F) is ESC and the character 0x40 below; 8-bit C1 is invalid UTF-8.
    bool c1 = c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) >= 0x80 &&
              static_cast<unsigned char>(text[i + 1]) <= 0x9F;
    bool raw_c1 = c >= 0x80 && c <= 0x9F;
    if (c == 0x1B || c1 || raw_c1) {
      if (c == 0x1B && i + 1 == text.size()) break;
      auto kind = static_cast<unsigned char>(raw_c1 ? c - 0x40 : c1 ? text[i + 1] - 0x40 : text[i + 1]);
      size_t body = i + (raw_c1 ? 1 : 2);
      if (kind == '[') {
        size_t end = csi_end(text, body);
        if (is_sgr(text.substr(body, end - body))) out.append("\x1B[").append(text.substr(body, end - body));
        i = end;
      } else if (opens_string(kind)) {
        i = string_end(text, body);
      } else {
        // ESC, intermediates, final byte.
        while (c == 0x1B && body <= text.size() && text[body - 1] >= 0x20 && text[body - 1] <= 0x2F) ++body;
        i = c == 0x1B && kind < 0x20 ? i + 1 : std::min(body, text.size());
      }
      continue;
    }
    if (c == '\r') {
      bool rewrites = i + 1 < text.size() && text[i + 1] != '\n' && text[i + 1] != '\r';
      if (rewrites) out.resize(line_start);
      ++i;
    } else if (c == '\n') {
      out += '\n';
      line_start = out.size();
      ++i;
    } else if (c < 0x20 || c == 0x7F) {
      if (c == '\t') out += '\t';
      ++i;
    } else if (size_t length = utf8_length(text.substr(i))) {
      out.append(text.substr(i, length));
      i += length;
    } else {
      out += "\xEF\xBF\xBD";
      ++i;
    }
  }
  return out;
}

}  // namespace kml::ui
