#include "kml/ui/number_text.h"

#include <fmt/format.h>

namespace kml::ui {

std::string number_text(double value) {
  return fmt::format("{:.4g}", value);
}

}  // namespace kml::ui
