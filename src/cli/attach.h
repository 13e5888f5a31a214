#pragma once

#include <chrono>

#include "cli/context.h"
#include "kml/jobs/in_cluster/engine_job.h"

namespace kml::cli {

/// A sweep, or a pipeline's run, that an engine elsewhere runs, as far as its journal has come.
class Attached {
 public:
  virtual ~Attached() = default;
  /// Takes what is new.
  virtual void update() = 0;
  virtual bool has_engine() = 0;
  /// How long it is left alone between two updates.
  virtual std::chrono::milliseconds pause() const = 0;
  virtual bool has_ended() const = 0;
  virtual Error without_engine() const = 0;

  virtual void show() = 0;
  virtual void end_view() = 0;
  /// Says how it ended; the exit code.
  virtual int report() = 0;
};

/// Shows it until it ends, with the exit code of its end, or until a signal. Throws Error if its engine ends
/// before. `kind` and `name` are as "sweep", "lr1".
int attach(Context& context, const std::string& kind, const std::string& name, Attached& attached);

}  // namespace kml::cli
