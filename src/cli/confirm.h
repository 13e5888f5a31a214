#pragma once

#include <string>

#include "kml/base/streams.h"

namespace kml::cli {

/// Whether a question can be asked: standard input and standard error are the terminal.
bool asks_on(const Streams& streams);

/// Asks on the terminal; anything but "y" and "yes" is a no.
bool confirmed(Streams& streams, const std::string& question);

}  // namespace kml::cli
