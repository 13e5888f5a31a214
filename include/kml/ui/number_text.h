#pragma once

#include <string>

namespace kml::ui {

/// "0.9731": enough digits to tell values apart.
std::string number_text(double value);

}  // namespace kml::ui
