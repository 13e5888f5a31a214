#include "kml/core/colours.h"

#include <algorithm>

namespace kml {

std::string without_colours(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const size_t escape = text.find("\x1b[");
    plain += text.substr(0, escape);
    if (escape == std::string_view::npos) break;
    text.remove_prefix(escape + 2);
    // Parameter and intermediate bytes, which are 20 to 3F, and the final byte.
    const auto end = std::find_if(text.begin(), text.end(), [](char c) { return c < 0x20 || c > 0x3F; });
    text.remove_prefix(static_cast<size_t>(end - text.begin()));
    if (!text.empty() && text[0] >= 0x40 && text[0] <= 0x7E) text.remove_prefix(1);
  }
  return plain;
}

}  // namespace kml
