#include "kml/base/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace kml {

bool is_letter_or_number(char32_t character) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(character))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO: return true;
    default: return false;
  }
}

bool is_mark(char32_t character) {
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(character));
  return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC ||
         category == UTF8PROC_CATEGORY_ME;
}

namespace {

bool is_hidden(utf8proc_int32_t character) {
  constexpr utf8proc_int32_t kFirstSelector = 0xE0100, kLastSelector = 0xE01EF;
  switch (utf8proc_category(character)) {
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP: return true;
    default: return character >= kFirstSelector && character <= kLastSelector;
  }
}

}  // namespace

std::string without_format_characters(const std::string& text) {
  std::string kept;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  for (size_t i = 0; i < text.size();) {
    utf8proc_int32_t character = -1;
    const auto left = static_cast<utf8proc_ssize_t>(text.size() - i);
    const size_t length =
        static_cast<size_t>(std::max<utf8proc_ssize_t>(1, utf8proc_iterate(bytes + i, left, &character)));
    if (character < 0 || !is_hidden(character)) kept.append(text, i, length);
    i += length;
  }
  return kept;
}

std::string without_marks(const std::string& text) {
  utf8proc_uint8_t* plain = nullptr;
  const auto options =
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_STRIPMARK);
  const utf8proc_ssize_t size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                             static_cast<utf8proc_ssize_t>(text.size()), &plain, options);
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(plain, &std::free);
  return size < 0 ? text : std::string(reinterpret_cast<const char*>(plain), static_cast<size_t>(size));
}

}  // namespace kml
