#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/pipeline/engine/run_state.h"
#include "kml/pipeline/language/pipeline.h"
#include "kml/ui/screen.h"

namespace kml::cli {

/// Shows a running pipeline: on a terminal as a live table, otherwise as one line for each step that ends.
class RunView {
 public:
  /// Does not print steps that have already ended in `state`. `context` and `pipeline` must outlive this
  /// object.
  RunView(Context& context, const pipeline::Pipeline& pipeline, const pipeline::RunState& state);

  void show(const pipeline::RunState& state);
  /// `changed` are the steps that have changed since the last call.
  void show(const pipeline::RunState& state, const std::vector<const pipeline::Step*>& changed);
  void end();

 private:
  void tell(const pipeline::Step& step, const pipeline::StepState& state);

  Context& context_;
  const pipeline::Pipeline& pipeline_;
  ui::Screen screen_;
  std::map<std::string, pipeline::Phase> told_;
};

/// Prints how a run ended. Returns the exit code.
int report_run(Context& context, const pipeline::Pipeline& pipeline, const pipeline::RunState& run);

}  // namespace kml::cli
