#pragma once

#include <map>
#include <string>

#include "cli/context.h"
#include "kml/pipeline/pipeline.h"
#include "kml/pipeline/run_state.h"
#include "kml/ui/screen.h"

namespace kml::cli {

/// A run while it goes on: the live table on a terminal; elsewhere a line for each step that ends.
class RunView {
 public:
  /// What has ended in `state` is not told again. `context` and `pipeline` must outlive it.
  RunView(Context& context, const pipeline::Pipeline& pipeline, const pipeline::RunState& state);

  void show(const pipeline::RunState& state);
  void end();

 private:
  void tell(const pipeline::Step& step, const pipeline::StepState& state);

  Context& context_;
  const pipeline::Pipeline& pipeline_;
  ui::Screen screen_;
  std::map<std::string, pipeline::Phase> told_;
};

/// Says how a run ended; the exit code.
int report_run(Context& context, const pipeline::Pipeline& pipeline, const pipeline::RunState& run);

}  // namespace kml::cli
