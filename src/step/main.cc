#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "step/command.h"
#include "step/inputs.h"
#include "step/options.h"
#include "step/outputs.h"

namespace {

/// What the command left running ends with its container anyway; until then it could still write.
void end_all_others() {
  if (::getpid() != 1) return;  // not a container of its own: others are not ours to end
  ::kill(-1, SIGKILL);
  while (::waitpid(-1, nullptr, 0) > 0) {
  }
}

}  // namespace

int main(int, char** arguments) {
  using namespace kml::step;
  const Options options = parse_options(arguments + 1);
  for (const InputPlace& input : options.inputs) bring(input, options.packed);
  for (const OutputPlace& output : options.outputs) prepare(output);
  const int status = run_command(options.command);
  if (status != 0) end_as(status);
  end_all_others();
  if (options.reports && is_first(options)) report(options);
  return 0;
}
