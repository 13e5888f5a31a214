#include "cli/log_selection.h"

#include <algorithm>

#include "kml/api/labels.h"
#include "kml/core/clock.h"
#include "kml/jobs/logs/rank_prefix.h"
#include "kml/jobs/views/find.h"

namespace kml::cli {

namespace {

std::optional<Time> moment(const std::string& text, const std::string& flag) {
  if (text.empty()) return {};
  if (const auto time = parse_rfc3339(text)) return time;
  if (const auto before = parse_duration(text)) return system_clock().now() - *before;
  throw usage_error("\"" + text + "\" is no value for " + flag,
                    "it takes a time as 2026-11-21T14:05:06Z, or how long ago: 90s, 15m, 2h");
}

void check(const LogSelectionFlags& flags) {
  if (flags.rank && flags.all_ranks) throw usage_error("both --rank and --all-ranks were given");
  if (flags.since && !flags.since_time.empty()) throw usage_error("both --since and --since-time were given");
  if (flags.attempt == 0) throw usage_error("--attempt counts from 1");
  if (!flags.pod_selector.empty() && (!flags.names.empty() || !job_selector(flags).empty()))
    throw usage_error("both jobs and --pod-selector were given", "it selects among all pods of the namespace",
                      "--pods REGEX selects among a job's pods");
  if (flags.rank && selects_pods_only(flags))
    throw usage_error("--rank needs a job", "only a job's pods have ranks");
}

}  // namespace

void add_log_selection(Command& command, LogSelectionFlags& flags) {
  command.takes("JOB", flags.names, "names of jobs", 0);
  command.option("-l,--selector", "LABELS", flags.selector, "jobs with these labels: a=b,c!=d,e in (f,g)");
  command.option("--sweep", "NAME", flags.sweep, "the trials of that sweep");
  command.option("--pods", "REGEX", flags.pods,
                 "only pods in whose name it matches; without jobs, of the whole namespace");
  command.option("--pod-selector", "LABELS", flags.pod_selector,
                 "instead of jobs: pods of the namespace with these labels");
  command.option(
      "--rank", "N", flags.rank,
      "only that rank; of ranks that share a pod, the lines with its prefix, [default3]: or [rank3]:");
  command.flag("--all-ranks", flags.all_ranks, "all ranks, as without --rank");
  command.option("-c,--container", "NAME", flags.container, "only that container; else all");
  command.option("--attempt", "N", flags.attempt, "only the N-th pod of each rank, from 1; else all");
  command.flag("--previous", flags.previous, "the log of the container's run before its last restart");
  command.option("--tail", "N", flags.tail, "only the last N lines of each pod");
  command.option("--since", "DURATION", flags.since, "only lines younger than that: 90s, 15m, 2h");
  command.option("--since-time", "TIME", flags.since_time, "only lines from then on: 2026-11-21T14:05:06Z");
  command.option("--until", "TIME", flags.until, "only lines until then: a time, or how long ago");
  command.option("--include", "REGEX", flags.include,
                 "only lines that one of these matches (RE2; (?i) takes any case)");
  command.option("--exclude", "REGEX", flags.exclude, "no lines that one of these matches");
}

std::string job_selector(const LogSelectionFlags& flags) {
  if (flags.sweep.empty()) return flags.selector;
  return std::string(api::kSweep) + "=" + flags.sweep + (flags.selector.empty() ? "" : "," + flags.selector);
}

bool selects_pods_only(const LogSelectionFlags& flags) {
  return flags.names.empty() && job_selector(flags).empty() &&
         (!flags.pods.empty() || !flags.pod_selector.empty());
}

void read_log_selection(Context& context, const LogSelectionFlags& flags, FollowOptions& options) {
  check(flags);
  jobs::LogSelection& selection = options.selection;
  selection.namespace_name = context.place().namespace_name;
  selection.pod_selector = flags.pod_selector;
  selection.pod_pattern = flags.pods;
  selection.container = flags.container;
  selection.previous = flags.previous;
  if (flags.attempt) selection.attempt = static_cast<int>(*flags.attempt);
  selection.tail = flags.tail;
  selection.since = flags.since;
  selection.since_time = moment(flags.since_time, "--since-time");
  selection.until = moment(flags.until, "--until");
  selection.gone_pods = context.place().is_local;
  options.rules.include = flags.include;
  options.rules.exclude = flags.exclude;
}

void select_rank(const LogSelectionFlags& flags, FollowOptions& options) {
  if (!flags.rank) return;
  const int rank = static_cast<int>(*flags.rank);
  const std::vector<Json>& jobs = options.selection.jobs;
  const int in_pod = jobs.empty() ? 1 : jobs::ranks_per_pod(jobs[0]);
  const bool one_pod = std::none_of(jobs.begin(), jobs.end(), has_several_pods);
  if (in_pod > 1 || (one_pod && rank > 0)) {
    options.rules.rank = rank;
    options.rules.ranks_per_pod = in_pod;
  }
  if (in_pod > 1 || !one_pod) options.selection.rank = rank / in_pod;
}

bool select_index(Context& context, const LogSelectionFlags& flags, FollowOptions& options) {
  if (flags.names.size() != 1 || flags.rank) return false;
  auto found = jobs::find_index(context.client(), context.place().namespace_name, flags.names[0]);
  if (!found) return false;
  options.selection.jobs = {std::move(found->job)};
  options.selection.rank = found->index;
  return true;
}

}  // namespace kml::cli
