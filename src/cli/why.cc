#include "kml/jobs/why/why.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/named_job.h"
#include "cli/output_format.h"
#include "kml/jobs/first_error/first_error.h"
#include "kml/ui/objects.h"
#include "kml/ui/reports.h"

namespace kml::cli {

namespace {

struct WhyOptions {
  std::vector<std::string> names;
  std::string output;
};

/// Whether a container of the job has ended badly, whose last lines say most.
bool has_last_words(const jobs::Cause& cause) {
  using enum jobs::CauseCode;
  constexpr std::array kCodes = {crash_loop, init_container_fails, backoff, failing, restarting};
  return cause.outlook == jobs::Outlook::failed ||
         std::find(kCodes.begin(), kCodes.end(), cause.code) != kCodes.end();
}

std::optional<jobs::FirstError> last_words(Context& context, jobs::Verdict& verdict) {
  if (std::none_of(verdict.causes.begin(), verdict.causes.end(), has_last_words)) return {};
  try {
    return jobs::first_error_of(context.client(), verdict.object, {.pods = verdict.pods});
  } catch (const Error& error) {
    verdict.unknown.push_back("its last lines: " + (error.why.empty() ? error.message : error.why));
    return {};
  }
}

int run_why(Context& context, const WhyOptions& options) {
  jobs::Verdict verdict =
      jobs::why(context.client(), context.place().namespace_name, resolved_name(context, options.names[0]));
  const std::optional<jobs::FirstError> first = last_words(context, verdict);
  if (options.output.empty())
    ui::print_verdict(context.streams(), verdict, first);
  else
    ui::print_value(context.streams(), ui::to_json(verdict, first), options.output);
  return 0;
}

}  // namespace

Command why_command() {
  auto options = std::make_shared<WhyOptions>();
  Command command{"why",
                  "Say why a job does not run yet, or failed: one verdict, who is in the way, what to do"};
  command.description =
      "Looks along the whole chain, from Kueue's queue and the namespace's quota to nodes, volumes, images "
      "and\n"
      "containers, and tells the one thing that counts first: its cause, what is short, who holds it, "
      "whether a\n"
      "priority could help, and what to type next, and of a container that failed the last lines. \"Not "
      "yet\" is told apart from \"cannot start\".\n"
      "What you may not read is named, and the rest told.";
  command.examples =
      "  kml why bert\n"
      "  kml why bert -o json | jq -r .cause.code      one of the causes below\n"
      "  kml why arr-3                                 task 3 of the array job arr\n"
      "  kml why pytorchjob/bert -n research";
  command.takes("JOB", options->names, "name of a job; @ is the newest that you submitted", 1, 1);
  add_output_format(command, {"json", "yaml"}, options->output, "print the whole verdict as an object");
  command.run = [options](Context& context) { return run_why(context, *options); };
  return command;
}

}  // namespace kml::cli
