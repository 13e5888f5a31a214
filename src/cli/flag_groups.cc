#include "cli/flag_groups.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace kml::cli {

namespace {

struct Heading {
  std::string_view text;
  std::vector<std::string_view> flags;  ///< their long names
};

using Headings = std::vector<Heading>;

Headings headings_of_sweep() {
  return {
      {"Search",
       {"--param", "--maximize", "--minimize", "--constraint", "--algorithm", "--warm-start", "--fork",
        "--replace", "--seed", "--deterministic"}},
      {"Budget", {"--trials", "--parallel", "--time", "--gpu-hours", "--goal"}},
      {"Early stopping", {"--early-stopping", "--resource", "--stop-by", "--checkpoint-dir"}},
      {"Trials", {"--fan-out", "--metrics-file"}},
      {"Where the sweep runs",
       {"--detach", "--in-cluster", "--engine-image", "--journal-volume", "--engine-account"}},
  };
}

/// If the command can keep artifacts, --output names them, and -o is the format.
Headings headings_of_submit(bool keeps_artifacts = false) {
  std::vector<std::string_view> data = {"--mount", "--secret", "--env-from", "--pull-secret"};
  if (keeps_artifacts) data.insert(data.begin() + 1, {"--input", "--output", "--store", "--track"});
  return {
      {"What runs",
       {"--image", "--template", "--file", "--name", "--env", "--code", "--chdir", "--array", "--set-arg",
        "--failed", "--param", "-p", "--set"}},
      {"Resources", {"--gpus", "--nodes", "--cpu", "--memory", "--shm"}},
      {"Data and secrets", std::move(data)},
      {"Where it runs", {"--node-selector", "--toleration", "--service-account"}},
      {"Queue and priority",
       {"--queue", "--priority", "--after", "--in-cluster", "--engine-image", "--engine-account"}},
      {"Schedule", {"--cron", "--every", "--at", "--tz"}},
      {"Retries and time limits", {"--retries", "--time-limit", "--grace", "--ttl", "--hang-debug"}},
      {"Labels and identity", {"--label", "--annotation", "--replace", "--idempotency-key"}},
      {"Follow and wait", {"--follow", "--wait", "--timeout", "--notify"}},
      {"Checks and output",
       {"--dry-run", "--test-only", "--no-check", "--yes", keeps_artifacts ? "-o" : "--output"}},
  };
}

Headings headings_of_dev() {
  Headings headings = {
      {"The session", {"--name", "--idle", "--max", "--sync", "--jupyter", "--ssh", "--detach", "--list"}}};
  for (Heading& heading : headings_of_submit()) headings.push_back(std::move(heading));
  return headings;
}

Headings headings_of_serve() {
  return {
      {"What is served", {"--name", "--image", "--env", "--code", "--chdir", "--port", "--replicas"}},
      {"When it is not used", {"--idle", "--engine-image", "--engine-account"}},
      {"When it is ready", {"--ready", "--probe", "--probe-path", "--timeout"}},
      {"Resources", {"--gpus", "--cpu", "--memory", "--shm"}},
      {"Data and secrets", {"--input", "--mount", "--secret", "--env-from", "--pull-secret"}},
      {"Where it runs", {"--node-selector", "--toleration", "--priority", "--service-account"}},
      {"Labels and output", {"--label", "--annotation", "--grace", "--dry-run"}},
  };
}

Headings headings_of_run() {
  return {
      {"What runs", {"--param", "--name", "--until", "--refresh", "--no-cache", "--keep-going"}},
      {"Where it runs",
       {"--store", "--in-cluster", "--engine-image", "--journal-volume", "--engine-account"}},
      {"When it runs", {"--cron", "--every", "--at", "--tz", "--scheduled"}},
      {"Checks and output", {"--dry-run", "--output"}},
  };
}

Headings headings_of_schedule_git() {
  return {
      {"What runs", {"--file", "--param", "--name", "--each"}},
      {"When kml looks", {"--every", "--once", "--print-hook"}},
      {"Where it runs",
       {"--in-cluster", "--engine-image", "--store", "--git-secret", "--journal-volume", "--engine-account"}},
  };
}

Headings headings_of_logs() {
  return {
      {"What is shown", {"--follow", "--live", "--first-error", "--metrics"}},
      {"Which jobs and pods",
       {"--selector", "--sweep", "--rank", "--all-ranks", "--container", "--attempt", "--previous", "--pods",
        "--pod-selector"}},
      {"Which lines", {"--tail", "--since", "--since-time", "--until", "--include", "--exclude"}},
      {"Output",
       {"--timestamps", "--highlight", "--output", "--raw", "--save", "--keep", "--propagate-exit"}},
  };
}

Headings headings_of_jobs() {
  return {
      {"Which jobs",
       {"--mine", "--state", "--all", "--selector", "--user", "--since", "--queue", "--all-namespaces",
        "--sort", "--limit"}},
      {"What is done", {"--for", "--timeout", "--notify", "--dry-run", "--yes"}},
      {"Output", {"--watch", "--start", "--progress", "--output", "--no-headers"}},
  };
}

Headings headings_of(const std::string& path) {
  if (path == "kml logs") return headings_of_logs();
  if (path == "kml dev") return headings_of_dev();
  if (path == "kml run") return headings_of_run();
  if (path == "kml schedule git") return headings_of_schedule_git();
  if (path == "kml serve") return headings_of_serve();
  if (path == "kml submit" || path == "kml rerun" || path == "kml config init")
    return headings_of_submit(path == "kml submit");
  if (path != "kml sweep run") return headings_of_jobs();
  Headings headings = headings_of_sweep();
  for (Heading& heading : headings_of_submit()) headings.push_back(std::move(heading));
  return headings;
}

}  // namespace

std::vector<FlagGroup> flag_groups(const Command& command, const std::string& path) {
  std::vector<const Option*> left;
  for (const Option& option : command.options) left.push_back(&option);
  if (left.empty()) return {};
  constexpr size_t kFew = 7;
  if (left.size() <= kFew) return {{"Flags", left}};
  std::vector<FlagGroup> groups;
  for (const Heading& heading : headings_of(path)) {
    FlagGroup group{std::string(heading.text), {}};
    for (const std::string_view name : heading.flags) {
      const auto found =
          std::find_if(left.begin(), left.end(), [&](const Option* one) { return one->long_name() == name; });
      if (found == left.end()) continue;
      group.options.push_back(*found);
      left.erase(found);
    }
    if (!group.options.empty()) groups.push_back(std::move(group));
  }
  if (!left.empty()) groups.push_back({"Other flags", left});
  return groups;
}

FlagGroup global_flags(const Command& root, const Command& command) {
  FlagGroup group{command.has_target ? "Connection" : "Flags of every command", {}};
  for (const Option& option : root.options)
    if (command.has_target || !option.is_of_target) group.options.push_back(&option);
  return group;
}

}  // namespace kml::cli
