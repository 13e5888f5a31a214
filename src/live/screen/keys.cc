#include "live/screen/keys.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kml/base/text.h"

namespace kml::live {

namespace {

/// The ends of sequences after "\x1B[" or "\x1BO" (xterm, VT220 and the Linux console).
constexpr std::array<std::pair<std::string_view, KeyKind>, 14> kSequences = {{{"A", KeyKind::up},
                                                                              {"B", KeyKind::down},
                                                                              {"C", KeyKind::right},
                                                                              {"D", KeyKind::left},
                                                                              {"H", KeyKind::home},
                                                                              {"F", KeyKind::end},
                                                                              {"1~", KeyKind::home},
                                                                              {"7~", KeyKind::home},
                                                                              {"4~", KeyKind::end},
                                                                              {"8~", KeyKind::end},
                                                                              {"3~", KeyKind::erase},
                                                                              {"5~", KeyKind::page_up},
                                                                              {"6~", KeyKind::page_down},
                                                                              {"Z", KeyKind::tab}}};

Key key_of_byte(unsigned char byte) {
  switch (byte) {
    case '\r':
    case '\n': return {KeyKind::enter};
    case '\t': return {KeyKind::tab};
    case 0x08:
    case 0x7F: return {KeyKind::backspace};
    default: return {KeyKind::control, std::string(1, static_cast<char>(byte + 'a' - 1))};
  }
}

/// How many bytes the sequence has; 0 if its end has not arrived.
size_t length_of_sequence(std::string_view bytes) {
  constexpr size_t kLongest = 32;
  if (bytes.size() < 2) return 0;
  if (bytes[1] == 'O') return bytes.size() < 3 ? 0 : 3;
  if (bytes[1] != '[') return 1;  // Escape itself, and then another key
  for (size_t i = 2; i < bytes.size(); ++i)
    if (bytes[i] >= 0x40 && bytes[i] <= 0x7E) return i + 1;
  return bytes.size() > kLongest ? bytes.size() : 0;
}

/// How many bytes the character has, from its first byte; 1 if no character begins with it.
size_t length_of_character(unsigned char first) {
  if (first < 0xC2 || first > 0xF4) return 1;
  return first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
}

constexpr std::string_view kPasteBegin = "\x1B[200~", kPasteEnd = "\x1B[201~";
/// More than any prompt takes. The rest of a longer paste is dropped.
constexpr size_t kLongestPaste = 4096;

std::string without_controls(std::string_view text) {
  std::string kept;
  for (size_t at = 0, length = 0; at < text.size(); at += length) {
    const auto first = static_cast<unsigned char>(text[at]);
    length = std::min(length_of_character(first), text.size() - at);
    const std::string_view character = text.substr(at, length);
    if (first >= 0x20 && first != 0x7F && is_utf8(character)) kept += character;
  }
  return kept;
}

}  // namespace

/// Takes pasted text, up to the mark of its end. Returns how many bytes were taken.
size_t KeyReader::take_pasted(std::string_view here, std::vector<Key>& keys) {
  const size_t end = here.find(kPasteEnd);
  const bool has_end = end != std::string_view::npos;
  // The last bytes may be the start of the mark.
  const size_t size = has_end ? end : here.size() - std::min(here.size(), kPasteEnd.size() - 1);
  if (pasted_->size() < kLongestPaste) *pasted_ += here.substr(0, size);
  if (!has_end) return size;
  keys.push_back({KeyKind::paste, without_controls(pasted_->substr(0, kLongestPaste))});
  pasted_.reset();
  return end + kPasteEnd.size();
}

std::vector<Key> KeyReader::read(std::string_view bytes) {
  std::vector<Key> keys;
  rest_ += bytes;
  size_t at = 0;
  while (at < rest_.size()) {
    const std::string_view here = std::string_view(rest_).substr(at);
    const auto first = static_cast<unsigned char>(here[0]);
    if (pasted_) {
      const size_t taken = take_pasted(here, keys);
      if (taken == 0) break;
      at += taken;
    } else if (first == 0x1B) {
      const size_t length = length_of_sequence(here);
      if (length == 0) break;
      if (length == 1) {
        keys.push_back({KeyKind::escape});
      } else if (here.substr(0, length) == kPasteBegin) {
        pasted_.emplace();
      } else {
        const auto known = std::ranges::find(kSequences, here.substr(2, length - 2),
                                             [](const auto& entry) { return entry.first; });
        if (known != kSequences.end()) keys.push_back({known->second});
      }
      at += length;
    } else if (first < 0x20 || first == 0x7F) {
      if (first != 0) keys.push_back(key_of_byte(first));
      ++at;
    } else {
      const size_t length = length_of_character(first);
      if (here.size() < length) break;
      if (is_utf8(here.substr(0, length)))
        keys.push_back({KeyKind::text, std::string(here.substr(0, length))});
      at += length;
    }
  }
  rest_.erase(0, at);
  return keys;
}

std::vector<Key> KeyReader::end() {
  std::vector<Key> keys;
  if (pasted_) return keys;
  if (rest_.starts_with('\x1B')) keys.push_back({KeyKind::escape});
  rest_.clear();
  return keys;
}

}  // namespace kml::live
