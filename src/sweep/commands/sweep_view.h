#pragma once

#include "cli/context.h"
#include "kml/sweep/engine/engine.h"
#include "kml/sweep/tables/sweep_table.h"
#include "kml/ui/screen.h"

namespace kml::cli {

/// Shows a running sweep: as a live table on a terminal, otherwise as a line for each trial that ends.
class SweepView {
 public:
  explicit SweepView(Context& context) : context_(context), screen_(context.streams()) {}

  /// `engine` is set if it runs in this process; it adds the values that running trials have reported.
  void show(const sweep::SweepState& state, const sweep::Engine* engine, const ui::Waits& waits);
  void end();

 private:
  void draw(const sweep::SweepState& state, const sweep::Engine* engine, const ui::Waits& waits);
  void tell(const sweep::SweepState& state, const sweep::Trial& trial);

  Context& context_;
  ui::Screen screen_;
  size_t told_ = 0;
  bool begun_ = false;
};

/// Why trials that have not started are waiting; empty if the server cannot be asked.
ui::Waits waits_of(Context& context, const sweep::SweepState& state);

/// If trials have failed, prints how to see the log of the last one.
void show_log_hint(Context& context, const sweep::SweepState& state);

}  // namespace kml::cli
