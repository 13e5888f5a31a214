#pragma once

#include <chrono>
#include <deque>
#include <optional>

#include "jobs/logs/node_slots.h"
#include "kml/jobs/logs/logs.h"

namespace kml::jobs {

/// What all logs of one command share.
struct LogContext {
  kube::Client& client;
  const LogSelection& selection;
  LogSink& sink;
  /// A run that ends within it is read once, at its end; one that goes on is followed from then on.
  std::chrono::milliseconds patience = {};
  NodeSlots slots = {};
  std::deque<LogSource> sources = {};  ///< a deque: their addresses stay
  std::optional<Error> failure = {};   ///< ends the command
  bool begun = false;                  ///< logs that are found from now on are new ones
};

}  // namespace kml::jobs
