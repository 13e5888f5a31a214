#pragma once

#include <cstdint>
#include <string>

#include "serve/predictor.h"

namespace trainer {

/// Answers HTTP/1.1 requests at this address (a name, or "::" for all) and port, one after another, until
/// SIGTERM or SIGINT. GET returns a line that begins with "ready"; POST of a picture returns its prediction.
/// Returns the exit code. Throws Error if it cannot listen there.
int serve(Predictor& predictor, const std::string& address, uint16_t port);

}  // namespace trainer
