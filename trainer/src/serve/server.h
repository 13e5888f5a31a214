#pragma once

#include <cstdint>

#include "serve/predictor.h"

namespace trainer {

/// Answers HTTP/1.1 requests at this port of all addresses, one after another, until SIGTERM or SIGINT: GET
/// with "ready", POST of a picture with its prediction. Returns the exit code. Throws Error if it cannot
/// listen there.
int serve(Predictor& predictor, uint16_t port);

}  // namespace trainer
