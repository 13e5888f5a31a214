#include <string_view>

#include "kml/job/records/records.h"

namespace kml::job {

bool is_run_id(std::string_view text, std::string_view id) {
  constexpr size_t kFewestDigits = 4;
  if (text == id) return true;
  return text.size() >= kFewestDigits && id.starts_with(text) &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace kml::job
