#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "job/commands/claim_job.h"
#include "job/packages/environments.h"
#include "job/packages/lock.h"
#include "job/packages/pod_programs.h"
#include "kml/base/error.h"
#include "kml/base/flag_duration.h"
#include "kml/base/process.h"
#include "kml/base/text.h"
#include "kml/job/packages/locked.h"
#include "kml/job/tables/job_tables.h"
#include "kml/ui/objects.h"
#include "kml/ui/table.h"

namespace kml::cli {

namespace {

struct EnvOptions {
  std::string output, store, older_than, image = "python:3";
};

Json json_of(const packages::Environment& environment) {
  return {{"id", environment.id},           {"python", environment.python},
          {"lock", environment.lock},       {"packages", environment.packages},
          {"bytes", environment.bytes},     {"used", rfc3339(environment.used)},
          {"inUse", environment.is_in_use}, {"versions", environment.versions}};
}

int print_environments(Context& context, const std::vector<packages::Environment>& environments,
                       const std::string& output) {
  if (!output.empty()) {
    Json items = Json::array();
    for (const packages::Environment& each : environments) items.push_back(json_of(each));
    ui::print_value(context.streams(), items, output);
    return 0;
  }
  constexpr size_t kShown = 12;
  ui::Table table({"ENVIRONMENT", "PYTHON", "PACKAGES", "SIZE", "LAST USED"});
  for (const packages::Environment& each : environments)
    table.add({{each.id.substr(0, kShown)},
               {each.python},
               {std::to_string(each.packages)},
               {size_text(static_cast<std::uintmax_t>(each.bytes))},
               {each.is_in_use ? "in use" : ui::age(each.used, system_clock().now()) + " ago"}});
  table.print(context.streams());
  return 0;
}

constexpr const char* kPathInPod = "/kml/environments";

std::vector<std::string> python_words(const char* program, std::vector<std::string> arguments) {
  std::vector<std::string> words = {"python3", "-I", "-S", "-c", packages::pod_program(program)};
  std::ranges::move(arguments, std::back_inserter(words));
  return words;
}

/// A job that works on the environments of a claim.
ClaimJob claim_job(const EnvOptions& options, const char* name, std::vector<std::string> command) {
  auto [claim, folder] = claim_and_folder(options.store, "--env-store");
  return {.name = name,
          .claim = std::move(claim),
          .sub_path = std::move(folder),
          .path = kPathInPod,
          .image = options.image,
          .command = std::move(command)};
}

/// The environments in what in_pod.py prints; empty if that is not in the log.
std::optional<std::vector<packages::Environment>> environments_of_log(const std::string& log) {
  for (const std::string& line : split(log, '\n')) {
    const Json list = line.starts_with('[') ? Json::parse(line, nullptr, false) : Json();
    if (!list.is_array()) continue;
    std::vector<packages::Environment> found;
    for (const Json& each : list)
      found.push_back({string_at(each, {"id"}), string_at(each, {"python"}), string_at(each, {"lock"}),
                       int_at(each, {"packages"}), int_at(each, {"bytes"}),
                       time_after_epoch(std::chrono::seconds(int_at(each, {"used"}))),
                       bool_at(each, {"inUse"}), object_at(each, {"versions"})});
    std::ranges::sort(found, std::greater(), &packages::Environment::used);
    return found;
  }
  return {};
}

int list_in_pod(Context& context, const EnvOptions& options) {
  const ClaimOutput output = output_on_claim(
      context, claim_job(options, "kml-env-list", python_words("in_pod", {"--list", kPathInPod})));
  if (const auto found = environments_of_log(output.log); found && output.exit_code == 0)
    return print_environments(context, *found, options.output);
  throw Error(output.exit_code == 0 ? ErrorCode::failure : static_cast<ErrorCode>(output.exit_code),
              "cannot list the environments in " + options.store, std::string(trim(output.log)));
}

void add_claim_flags(Command& command, EnvOptions& options, const std::string& what) {
  command
      .option("--env-store", "pvc/NAME", options.store, what + " the environments on this claim, using a pod")
      .details(upper(what.substr(0, 1)) + what.substr(1) +
               " the environments on this volume claim, which `kml submit --env-store` has used. To access "
               "the claim, kml starts a pod.");
  command
      .option("--image", "IMAGE", options.image,
              "with --env-store: image of the pod, with Python [default: python:3]")
      .details(
          "The image of the pod that --env-store starts. The image must have Python. [default: python:3]");
}

Command env_list_command() {
  auto options = std::make_shared<EnvOptions>();
  Command command{"list", "List the environments with the packages of jobs"};
  command.description =
      "kml lists the environments in which jobs on this machine run or, with --env-store, those on a volume "
      "claim of a cluster. The most recently used environment comes first.";
  command.examples = R"(kml env list
# The bytes that all environments use
kml env list -o json | jq 'map(.bytes) | add'
# The environments of jobs on a cluster
kml env list --env-store pvc/environments)";
  add_claim_flags(command, *options, "list");
  add_output_format(command, {"json", "yaml"}, options->output, "print the environments as data")
      .details("Print the environments in this format.");
  command.run = [options](Context& context) {
    if (!options->store.empty()) return list_in_pod(context, *options);
    return print_environments(context, packages::environments_in(packages::environments_folder()),
                              options->output);
  };
  return command;
}

int verify_here(Context& context) {
  const ProcessResult result =
      run_process(python_words("verify", {packages::environments_folder().string()}));
  if (result.exit_code > 1)
    throw Error(ErrorCode::failure, "cannot verify the environments", std::string(trim(result.out)),
                result.out.empty() ? "install Python 3, as python3 in PATH" : "");
  context.streams().out << result.out << std::flush;
  return result.exit_code;
}

Command env_verify_command() {
  auto options = std::make_shared<EnvOptions>();
  Command command{"verify", "Compare the files of environments with their hashes"};
  command.description =
      "kml compares all files of the environments, on this machine or on the claim of --env-store, with the "
      "hashes that were recorded when the packages were installed. The exit code is 1 if a file has changed. "
      "The next job that uses the damaged environment then installs the packages again; running jobs keep "
      "their files. Each job also makes a quick check when it starts: for at most a quarter of a second, it "
      "compares sizes and times, and compares the contents of a file only if its size or time differs.";
  command.examples = R"(kml env verify
# The environments of jobs on a cluster
kml env verify --env-store pvc/environments)";
  add_claim_flags(command, *options, "verify");
  command.run = [options](Context& context) {
    if (options->store.empty()) return verify_here(context);
    constexpr int kJobFailed = 3;
    const int code =
        run_on_claim(context, claim_job(*options, "kml-env-verify", python_words("verify", {kPathInPod})));
    return code == kJobFailed ? 1 : code;
  };
  return command;
}

Command env_gc_command() {
  auto options = std::make_shared<EnvOptions>();
  Command command{"gc", "Delete environments that jobs no longer use"};
  command.description =
      "kml deletes environments that no job has used for some time, on this machine or on the claim of "
      "--env-store, and the files of interrupted installations. kml keeps the environments of running jobs. "
      "If a later job needs a deleted environment, it installs the same packages again.";
  command.examples = R"(kml env gc
# Delete environments that were not used for a week
kml env gc --older-than 7d
# Delete the environments of jobs on a cluster
kml env gc --env-store pvc/environments)";
  command
      .option("--older-than", "DURATION", options->older_than,
              "only environments unused for this time [default: 30d]")
      .details("Delete only environments with which no job has started for this long. [default: 30d]");
  add_claim_flags(command, *options, "delete");
  command.run = [options](Context& context) {
    constexpr std::chrono::seconds kMonth = std::chrono::hours(24 * 30);
    const std::chrono::seconds unused_for =
        options->older_than.empty() ? kMonth : duration_in_flag(options->older_than, "--older-than");
    if (!options->store.empty())
      return run_on_claim(
          context,
          claim_job(*options, "kml-env-gc",
                    python_words("in_pod", {"--tidy", kPathInPod, std::to_string(unused_for.count())})));
    const auto removed = packages::remove_unused(packages::environments_folder(), unused_for);
    std::uintmax_t bytes = 0;
    for (const packages::Environment& each : removed) bytes += static_cast<std::uintmax_t>(each.bytes);
    context.streams().out << removed.size() << (removed.size() == 1 ? " environment" : " environments")
                          << " deleted, " << size_text(bytes) << "\n";
    return 0;
  };
  return command;
}

Command env_upgrade_command() {
  Command command{"upgrade", "Make new jobs use the newest versions of packages"};
  command.description =
      "kml keeps the versions that uv found for a list of packages until the list or your settings for uv "
      "change, so that later jobs start at once. After this command, uv finds the versions for new jobs "
      "again. A rerun still gets the versions of the run that it repeats.";
  command.examples = "kml env upgrade";
  command.has_target = false;
  command.run = [](Context& context) {
    const size_t count = packages::forget_requests();
    context.streams().out << "new jobs use the newest versions for " << count
                          << (count == 1 ? " list of packages\n" : " lists of packages\n");
    return 0;
  };
  return command;
}

}  // namespace

Command env_command() {
  Command command{"env", "Manage the environments that hold the Python packages of jobs (submit --uv)"};
  command.description =
      R"(A job of `kml submit --uv`, `--requirements FILE` or `--conda FILE` runs in an environment with exactly the
packages that were chosen for the job. On this machine, environments are kept in kml's state folder, together with those
of the components of compiled Kubeflow pipelines.)";
  command.subcommands = {env_list_command(), env_verify_command(), env_upgrade_command(), env_gc_command()};
  return command;
}

}  // namespace kml::cli
