#pragma once

#include <chrono>

#include "cli/context.h"
#include "kml/engine/in_cluster/engine_job.h"

namespace kml::cli {

/// A sweep or pipeline run whose engine is another process, as seen in its journal.
class Attached {
 public:
  virtual ~Attached() = default;
  /// Reads the journal's new records.
  virtual void update() = 0;
  virtual bool has_engine() = 0;
  /// How long to wait between two updates.
  virtual std::chrono::milliseconds pause() const = 0;
  virtual bool has_ended() const = 0;
  virtual Error without_engine() const = 0;

  virtual void show() = 0;
  virtual void end_view() = 0;
  /// Prints how the sweep or run ended. Returns the exit code.
  virtual int report() = 0;
};

/// Shows the sweep or run until it ends or a signal arrives. Returns the exit code for how it ended, or for
/// the interruption. Throws Error if its engine ends first. `kind` and `name` are, for example, "sweep" and
/// "lr1".
int attach(Context& context, const std::string& kind, const std::string& name, Attached& attached);

}  // namespace kml::cli
