#include <memory>

#include "cli/after.h"
#include "cli/commands.h"
#include "cli/send.h"
#include "cli/submit_request.h"
#include "kml/api/names.h"

namespace kml::cli {

namespace {

struct SubmitOptions {
  SubmitFlags flags;
  std::vector<std::string> after;
  SendOptions send;
};

void check_key(const SubmitOptions& options) {
  const std::string& key = options.flags.key;
  if (key.empty()) return;
  if (std::string problem = api::label_value_problem(key); !problem.empty())
    throw usage_error("\"" + key + "\" cannot be an idempotency key", "as a label's value it " + problem);
  if (options.send.replace)
    throw usage_error("both --idempotency-key and --replace were given",
                      "a key keeps the job that is there, --replace ends it", "use one of them");
}

int run_submit(Context& context, const SubmitOptions& options) {
  check_key(options);
  const auto make_plan = [&] {
    SubmitFlags flags = options.flags;
    flags.checks_fields = !options.send.no_check;
    jobs::SubmitPlan plan = cli::plan(context, flags);
    come_after(context, plan, options.after);
    return plan;
  };
  return send(context, make_plan, options.send);
}

}  // namespace

Command submit_command() {
  auto options = std::make_shared<SubmitOptions>();
  Command command{"submit", "Make a job of a command, a template or manifests"};
  command.description =
      "The command follows \"--\" and runs as it is, without a shell. What a template declares as a "
      "parameter is\n"
      "set by -p, or by a flag of that name where no other flag has it. Defaults come from kml.yaml.\n"
      "Before anything is sent, kml says what kml.yaml sets, and the target: context, namespace and user. It "
      "looks\n"
      "whether the queue, priority class, service account, secrets and volume claims that the job names "
      "exist, "
      "and\n"
      "whether a node is large enough; what you may not read keeps nothing from being sent. A manifest "
      "without "
      "a\n"
      "name is asked for one at a terminal, else refused; with metadata.generateName a name is drawn.";
  command.examples =
      "  kml submit --gpus 1 --follow -- python train.py --lr 0.1\n"
      "  kml submit -t pytorchjob --nodes 4 --gpus a100:8 --image trainer:1 -- torchrun train.py\n"
      "  kml submit -f job.yaml --dry-run=server";
  add_spec_flags(command, options->flags.settings);
  command.option("-f,--file", "FILE", options->flags.files,
                 "manifests, as kubectl reads them; - is standard input");
  command.option("--idempotency-key", "KEY", options->flags.key,
                 "one job for each key: submitted again, it is found and no second one is made");
  command.option(
      "--after", "JOB[:WHEN]", options->after,
      "start once that job has succeeded; with :failed once it has failed, with :any however it ends");
  add_send_flags(command, options->send);
  command.argv = &options->flags.command;
  command.unknown_flags = &options->flags.unknown;
  command.run = [options](Context& context) { return run_submit(context, *options); };
  return command;
}

}  // namespace kml::cli
