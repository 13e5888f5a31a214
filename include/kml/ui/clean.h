#pragma once

#include <string>
#include <string_view>

namespace kml::ui {

/// Text from a pod or a server, safe to show on a terminal: of all escape sequences only SGR (colours) stays.
/// Other CSI, OSC (clipboard, title), DCS, APC, PM, SOS, control characters except tab and newline, and the
/// C1 controls, in 8 bits and as UTF-8, are dropped; invalid UTF-8 becomes U+FFFD. Of text that a lone
/// carriage return rewrites, as progress bars do, the last version stays.
std::string clean(std::string_view text);

}  // namespace kml::ui
