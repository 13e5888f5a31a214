#pragma once

#include "cli/context.h"
#include "kml/sweep/engine/engine.h"
#include "kml/sweep/tables/sweep_table.h"
#include "kml/ui/screen.h"

namespace kml::cli {

/// Shows a running sweep: on a terminal as a live table, otherwise as one line for each trial that ends.
class SweepView {
 public:
  explicit SweepView(Context& context) : context_(context), screen_(context.streams()) {}

  /// `engine` is set if the engine runs in this process. It provides the values that running trials have
  /// reported.
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

/// Why trials wait that have not started, or whose pods were removed. Empty if the server does not respond.
ui::Waits waits_of(Context& context, const sweep::SweepState& state);

/// If any trial has failed, prints how to read the log of the last failed one.
void show_log_hint(Context& context, const sweep::SweepState& state);

}  // namespace kml::cli
