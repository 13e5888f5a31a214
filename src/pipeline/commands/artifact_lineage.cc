#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "kml/pipeline/engine/artifacts.h"
#include "kml/pipeline/engine/lineage.h"
#include "kml/pipeline/engine/pins.h"
#include "kml/pipeline/runner/s3_store.h"
#include "kml/pipeline/store/store.h"
#include "kml/ui/objects.h"
#include "pipeline/runner/s3_pins.h"
#include "pipeline/tables/artifact_table.h"

namespace kml::cli {

namespace {

struct LineageOptions {
  std::vector<std::string> names;
  std::string output;
  bool down = false;
};

int run_artifact_lineage(Context& context, const LineageOptions& options) {
  const pipeline::Artifact artifact = pipeline::find_artifact(options.names[0]);
  const Json lineage =
      options.down ? pipeline::uses_of(artifact) : lineage_of(artifact, pipeline::local_store());
  if (options.output.empty())
    ui::print_lineage(context.streams(), lineage);
  else
    ui::print_value(context.streams(), lineage, options.output);
  return 0;
}

/// Looks up all names before any is changed, so that a wrong name has no effect.
int run_artifact_pin(Context& context, const LineageOptions& options) {
  std::vector<pipeline::Artifact> artifacts;
  for (const std::string& name : options.names) artifacts.push_back(pipeline::find_artifact(name));
  for (const pipeline::Artifact& artifact : artifacts) {
    pin(pipeline::local_store(), artifact);
    if (const std::string store = string_at(artifact.made, {"store"}); pipeline::is_s3_store(store))
      pipeline::pin_in_bucket(store, artifact.name.text(), string_at(artifact.made, {"digest"}));
    context.streams().out << artifact.name.text() << " pinned\n";
  }
  return 0;
}

int run_artifact_unpin(Context& context, const LineageOptions& options) {
  for (const std::string& name : options.names) {
    const auto pin = unpin(pipeline::local_store(), pipeline::parse_artifact_name(name));
    if (const std::string store = pin ? string_at(*pin, {"store"}) : ""; pipeline::is_s3_store(store))
      pipeline::unpin_in_bucket(store, name, string_at(*pin, {"digest"}));
    context.streams().out << name << (pin ? " unpinned\n" : " was not pinned\n");
  }
  return 0;
}

}  // namespace

Command artifact_lineage_command() {
  auto options = std::make_shared<LineageOptions>();
  Command command{"lineage", "Show the run, step, code and inputs from which an artifact was made"};
  command.description =
      R"(kml shows how the artifact was made, and how each of its inputs was made: the run, step and job, the
time, the command and its parameters, and the digests of the code and the program. With --down, kml shows the
artifacts that were made from this one.)";
  command.takes("ARTIFACT", options->names, "the artifact: RUN/STEP.OUTPUT", 1, 1);
  command.examples = R"(kml artifact lineage iris-1/evaluate.accuracy
# The artifacts that were made from it
kml artifact lineage iris-1/load.train --down)";
  command.flag("--down", options->down, "show the artifacts that were made from this one")
      .details("Show the artifacts that were made from this one, in all runs, instead of its inputs.");
  add_output_format(command, {"json", "yaml"}, options->output, "print the lineage in this format")
      .details("Print the lineage in this format, with full digests.");
  command.has_target = false;
  command.run = [options](Context& context) { return run_artifact_lineage(context, *options); };
  return command;
}

Command artifact_pin_command() {
  auto options = std::make_shared<LineageOptions>();
  Command command{"pin", "Pin artifacts, so that `kml gc` keeps them"};
  command.takes("ARTIFACT", options->names, "the artifacts: RUN/STEP.OUTPUT", 1);
  command.examples = R"(kml artifact pin iris-1/train.model
# Undo it
kml artifact unpin iris-1/train.model)";
  command.has_target = false;
  command.run = [options](Context& context) { return run_artifact_pin(context, *options); };
  return command;
}

Command artifact_unpin_command() {
  auto options = std::make_shared<LineageOptions>();
  Command command{"unpin", "Unpin artifacts, so that `kml gc` may remove them"};
  command.takes("ARTIFACT", options->names, "the artifacts: RUN/STEP.OUTPUT", 1);
  command.examples = R"(kml artifact unpin iris-1/train.model
# See which artifacts are pinned
kml artifact list)";
  command.has_target = false;
  command.run = [options](Context& context) { return run_artifact_unpin(context, *options); };
  return command;
}

}  // namespace kml::cli
