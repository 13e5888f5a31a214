#pragma once

#include <string>

#include "kml/base/streams.h"

namespace kml::cli {

/// Whether a question can be asked: standard input and standard error must both be the terminal.
bool asks_on(const Streams& streams);

/// Asks on the terminal. Any answer but "y" or "yes" means no.
bool confirmed(Streams& streams, const std::string& question);

}  // namespace kml::cli
