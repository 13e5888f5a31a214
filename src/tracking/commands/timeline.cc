#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "cli/page_output.h"
#include "job/commands/accounts.h"
#include "job/commands/named_job.h"
#include "kml/base/error.h"
#include "kml/base/flag_errors.h"
#include "kml/base/time_zone.h"
#include "kml/job/submit/marks.h"
#include "kml/kube/objects/names.h"
#include "kml/kube/objects/object.h"
#include "kml/ui/objects.h"
#include "tracking/tables/timeline.h"

namespace kml::cli {

namespace {

struct TimelineOptions {
  std::vector<std::string> names;
  std::optional<std::chrono::seconds> since;
  std::optional<long long> limit;
  bool mine = false, all_namespaces = false;
  std::string html, output;
};

/// The newest recorded account of a job that no longer exists.
std::optional<job::JobAccount> recorded_account(const std::string& name, const job::AccountQuery& query) {
  std::optional<job::JobAccount> newest;
  for (auto& [key, account] : job::AccountRecords::of_user().read())
    if (account.name == name && account.context == query.context &&
        account.namespace_name == query.namespace_name && (!newest || newest->created < account.created))
      newest = account;
  return newest;
}

job::JobAccount named_account(Context& context, const std::string& name, const job::AccountQuery& query) {
  const auto ahead = ask_ahead_about(context, {name}, job::about_attempts);
  try {
    const job::JobOrTask named = named_job_or_task(context, name);
    refuse_task(named, "timeline");
    return job::read_account(context.client(), named.job, query);
  } catch (const Error& error) {
    if (error.reason != "NotFound") throw;
    auto recorded = recorded_account(name.substr(name.find('/') + 1), query);
    if (!recorded) throw;
    context.note("the job was deleted; this is what this machine recorded about the job");
    return *recorded;
  }
}

/// The newest jobs in the namespace, with the oldest first.
std::vector<ui::TimelineJob> jobs_of(Context& context, const TimelineOptions& options,
                                     const job::AccountQuery& query) {
  constexpr long long kDefaultLimit = 50;
  std::vector<job::JobAccount> accounts = job::read_accounts(context.client(), query);
  const std::string user = api::to_dns_label(job::user_name());
  if (options.mine) std::erase_if(accounts, [&](const auto& account) { return account.user != user; });
  std::stable_sort(accounts.begin(), accounts.end(),
                   [](const auto& a, const auto& b) { return job::is_older(a, b); });
  const auto most = static_cast<size_t>(options.limit.value_or(kDefaultLimit));
  if (accounts.size() > most) {
    context.note(std::to_string(accounts.size() - most) + " older jobs not shown; --limit shows more");
    accounts.erase(accounts.begin(), accounts.end() - static_cast<std::ptrdiff_t>(most));
  }
  std::vector<ui::TimelineJob> jobs;
  for (job::JobAccount& account : accounts) {
    job::BarRow row = job::row_of(account, query.now);
    jobs.push_back({std::move(account), {std::move(row)}});
  }
  return jobs;
}

/// A row for the job itself. If the job has several ranks or tasks, adds a row for each of them.
ui::TimelineJob one_job(job::JobAccount account, Time now) {
  std::vector<job::BarRow> rows = {job::row_of(account, now)};
  std::vector<job::BarRow> places = job::rows_of(account, now);
  if (places.size() > 1) std::move(places.begin(), places.end(), std::back_inserter(rows));
  return {std::move(account), std::move(rows)};
}

void print(Context& context, const TimelineOptions& options, const std::vector<ui::TimelineJob>& jobs,
           Time since, Time until) {
  if (!options.html.empty()) {
    write_page(context, options.html, ui::timeline_page(jobs, since, until));
  } else if (!options.output.empty()) {
    Json items = Json::array();
    for (const ui::TimelineJob& job : jobs) items.push_back(to_json(job));
    ui::print_value(context.streams(), items, options.output);
  } else if (jobs.empty()) {
    context.note("no jobs since " + rfc3339(since));
  } else {
    ui::print_timeline(context.streams(), jobs, since, until, TimeZone::local());
  }
}

int run_timeline(Context& context, const TimelineOptions& options) {
  constexpr std::chrono::days kDefault{1};
  if (!options.names.empty() && (options.mine || options.all_namespaces || options.limit))
    throw not_together("JOB", "--mine, --all-namespaces and --limit");
  if (!options.html.empty() && !options.output.empty()) throw not_together("--html", "--output");
  const Time now = system_clock().now();
  const job::AccountQuery query =
      account_query(context, now - options.since.value_or(kDefault), options.all_namespaces);
  std::vector<ui::TimelineJob> jobs;
  if (options.names.empty())
    jobs = jobs_of(context, options, query);
  else
    jobs.push_back(one_job(named_account(context, options.names[0], query), query.now));
  Time first = query.now, last = query.now;
  for (const ui::TimelineJob& job : jobs) first = std::min(first, job.account.created);
  if (!options.names.empty() && jobs[0].account.finished) last = *jobs[0].account.finished;
  const bool is_limited = options.names.empty() || options.since;
  const Time since = is_limited ? std::max(first, query.since) : first;
  // At least one second, because otherwise the picture would have no width.
  print(context, options, jobs, since, std::max(last, since + std::chrono::seconds(1)));
  return 0;
}

}  // namespace

Command timeline_command() {
  auto options = std::make_shared<TimelineOptions>();
  Command command{"timeline", "Draw when jobs waited, ran, failed, or were preempted or suspended"};
  command.description =
      R"(With JOB, kml draws a row for the job and, if it has several ranks or tasks, a row for each of them, from the job's
submission to its end. Without JOB, kml draws a row for each job of the last day. Each state has a different sign:

- queued: the job waits for its first pod, or for the next one after a failure
- running: a pod is running
- lost: a pod is running, but its steps were later repeated
- failed: a pod is running, and later fails
- preempted: the job waits for the next pod after a preemption or an eviction
- suspended: the job is suspended
- unknown: kml has no record of this time; see kml-usage(1)

A sign stands for a span of time, and shows the state that took most of it.)";
  command.examples = R"(# All attempts of a job
kml timeline bert
# Your jobs of the last week, as a page for a browser
kml timeline --mine --since 7d --html week.html)";
  command.takes("JOB", options->names, "name of a job; @ is your newest job", 0, 1);
  command.flag("--mine", options->mine, "only your jobs").details("Draw only your jobs.");
  command
      .option("--since", "DURATION", options->since,
              "draw the time from this long ago until now: 12h, 7d [default: 1d; with JOB, all]")
      .details(
          "Draw the time from this long ago until now. Jobs may have started earlier. [default: 1d; with "
          "JOB, the time since it was submitted]");
  command.option("--limit", "N", options->limit, "draw only the N newest jobs [default: 50]", 1)
      .details("Draw only the N newest jobs. [default: 50]");
  command.flag("-A,--all-namespaces", options->all_namespaces, "draw the jobs in all namespaces")
      .details("Draw the jobs in all namespaces.");
  command.option("--html", "FILE", options->html, "write an HTML page instead; - is standard output")
      .details(
          "Write the timeline as one HTML file that needs no network, with a table of the jobs; \"-\" is "
          "standard output.");
  add_output_format(command, {"json", "yaml"}, options->output, "print the times as objects")
      .details("Print each job's rows, with their states and times.");
  command.run = [options](Context& context) { return run_timeline(context, *options); };
  return command;
}

}  // namespace kml::cli
