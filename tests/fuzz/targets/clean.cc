// Text from a pod, made safe for a terminal: the result contains only text, tabs, newlines and SGR sequences
// (colors).
#include "kml/base/clean.h"
#include "fuzz/input.h"
#include "kml/base/text.h"

using namespace kml;

namespace {

/// The length of the SGR sequence at this position; 0 if there is none.
size_t colour_length(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const size_t end = text.find_first_not_of("0123456789;:", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string cleaned = kml::clean(fuzz::text_of(data, size));
  fuzz::require(is_utf8(cleaned) && kml::clean(cleaned) == cleaned);
  for (size_t i = 0; i < cleaned.size();) {
    const auto byte = static_cast<unsigned char>(cleaned[i]);
    if (byte == 0x1b) {
      const size_t length = colour_length(std::string_view(cleaned).substr(i));
      fuzz::require(length > 0);
      i += length;
      continue;
    }
    fuzz::require(byte >= 0x20 || byte == '\t' || byte == '\n');
    fuzz::require(byte != 0x7f);
    if (byte == 0xc2 && i + 1 < cleaned.size())
      fuzz::require(static_cast<unsigned char>(cleaned[i + 1]) >= 0xa0);
    ++i;
  }
  return 0;
}
