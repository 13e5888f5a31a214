#include <memory>

#include "cli/commands.h"
#include "cli/context.h"
#include "engine/in_cluster/due_start.h"

namespace kml::cli {

Command start_when_due_command() {
  auto words = std::make_shared<std::vector<std::string>>();
  Command command{"start-when-due",
                  "Start a job once the jobs that it waits for have finished; used by the pod of `kml submit "
                  "--after --in-cluster`"};
  command.takes("KIND NAME", *words, "the job", 2, 2);
  command.hidden = true;
  command.run = [words](Context& context) {
    const job::Interrupt interrupt;
    engine::start_when_due(context.client(), context.target().namespace_name, words->at(0), words->at(1),
                           interrupt);
    return 0;
  };
  return command;
}

}  // namespace kml::cli
