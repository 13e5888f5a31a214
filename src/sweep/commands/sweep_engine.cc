#include <memory>

#include "cli/commands.h"
#include "cli/context.h"
#include "kml/base/text.h"
#include "kml/engine/in_cluster/stop_request.h"
#include "sweep/commands/sweep_in_cluster.h"
#include "sweep/commands/sweep_selection.h"
#include "sweep/commands/sweep_session.h"

namespace kml::cli {

namespace {

struct EngineFlags {
  std::vector<std::string> names;
};

int run_engine(Context& context, const EngineFlags& options) {
  const std::string& name = options.names[0];
  const auto sweep = find_cluster_sweep(context, name);
  if (!sweep)
    throw usage_error("no sweep " + name + " in namespace " + context.place().namespace_name,
                      "only the job of `kml sweep run --in-cluster` runs this command");
  const sweep::SweepSpec spec = sweep::parse_sweep(sweep->document(), "the sweep's ConfigMap");
  const std::filesystem::path folder = sweep::sweep_folder(name);
  sweep::Journal journal(folder, owner());
  if (begin_or_change(journal, context, spec, sweep->marks.id, [&] { return sweep->code(); }) !=
      sweep->marks.id)
    throw usage_error("the volume already has the journal of another sweep " + name, folder.string(),
                      "use another name, or another folder in --journal-volume");
  LaggingCopy copy(context, sweep->engine(), folder / "journal.jsonl");
  const engine::StopRequest stop(context.client(), sweep::engine_marks(sweep->marks), sweep->object);
  const int code =
      go_on(context, name, journal,
            {[&] { return sweep::stop_wish_of(stop.text()); }, [&](const sweep::Engine&) { copy.update(); }});
  copy.end();
  return code;
}

}  // namespace

Command sweep_engine_command() {
  auto options = std::make_shared<EngineFlags>();
  Command command{"engine", "Run the engine of a sweep in a pod; used by the job of --in-cluster"};
  command.takes("NAME", options->names, "the sweep's name", 1, 1);
  command.run = [options](Context& context) { return run_engine(context, *options); };
  command.hidden = true;
  return command;
}

}  // namespace kml::cli
