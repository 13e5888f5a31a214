#pragma once

#include <cstdio>
#include <string>

#include "kml/core/error.h"

namespace kml::local {

/// To the server's log. Where the disk of that is full the text is lost: fmt::print would throw, and end the
/// server.
inline void log_text(const std::string& text) {
  std::fputs(text.c_str(), stderr);
}
inline void log_error(const Error& error) {
  log_text(describe(error));
}

}  // namespace kml::local
