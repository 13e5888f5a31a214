#include "kml/base/redrawn_line.h"

namespace kml {

std::string_view after_carriage_returns(std::string_view text) {
  while (text.ends_with('\r')) text.remove_suffix(1);
  return text.substr(text.rfind('\r') + 1);  // npos + 1 is 0
}

}  // namespace kml
