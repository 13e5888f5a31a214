#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "step/bucket.h"
#include "step/command.h"
#include "step/inputs.h"
#include "step/options.h"
#include "step/outputs.h"
#include "step/record/recorder.h"

namespace {

/// Ends processes that the command has left running. They could still write to outputs, and would end with
/// the container anyway.
void end_all_others() {
  // unless this is the first process of a container, other processes may not belong to the command
  if (::getpid() != 1) return;
  ::kill(-1, SIGKILL);
  while (::waitpid(-1, nullptr, 0) > 0) {
  }
}

}  // namespace

int main(int, char** arguments) {
  using namespace kml::step;
  const Options options = parse_options(arguments + 1);
  for (const InputPlace& input : options.inputs) {
    if (!options.bucket.empty()) fetch(options, input);
    bring(input, options.packed);
  }
  for (const DataPlace& data : options.data) fetch_data(options, data);
  for (const TidyPlace& place : options.tidied) tidy(options, place);
  if (!*options.command) return 0;
  for (const OutputPlace& output : options.outputs) prepare(output);
  std::optional<Recorder> recorder;
  if (options.recording) recorder.emplace(*options.recording);
  const int status = run_command(options.command, recorder ? &*recorder : nullptr);
  if (recorder) recorder->finish();
  if (status != 0) end_as(status);
  end_all_others();
  if (options.reports && is_first(options)) report(options);
  return 0;
}
