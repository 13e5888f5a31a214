#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "job/commands/accounts.h"
#include "job/tables/usage_table.h"
#include "kml/base/error.h"
#include "kml/base/flag_errors.h"
#include "kml/base/text.h"
#include "kml/base/time_zone.h"
#include "kml/job/accounting/gpu_usage.h"
#include "kml/ui/objects.h"

namespace kml::cli {

namespace {

struct UsageOptions {
  std::vector<std::string> by;
  std::optional<std::chrono::seconds> since;
  bool all_namespaces = false;
  std::string output;
};

void add_keys(std::vector<std::string>& keys, const std::string& value) {
  const std::vector<std::string> known(job::usage_keys().begin(), job::usage_keys().end());
  for (const std::string& key : split(value, ',')) {
    if (std::find(known.begin(), known.end(), key) == known.end()) throw invalid_choice(key, "--by", known);
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  }
}

int run_usage(Context& context, const UsageOptions& options) {
  constexpr std::chrono::days kDefault{30};
  const Time now = system_clock().now();
  const Time since = now - options.since.value_or(kDefault);
  const job::AccountQuery query = account_query(context, since, options.all_namespaces);
  const std::vector<job::JobAccount> accounts = job::read_accounts(context.client(), query);
  const std::vector<std::string> by = options.by.empty() ? std::vector<std::string>{"user"} : options.by;
  const auto sums = job::usage_of(accounts, {by, since, query.now, TimeZone::local()});
  const auto all = job::usage_of(accounts, {{}, since, query.now});
  const job::UsageSum total = all.empty() ? job::UsageSum() : all[0];
  if (options.output == "csv") {
    ui::print_usage_csv(context.streams(), sums, by);
  } else if (ui::is_data(options.output)) {
    Json rows = Json::array();
    for (const job::UsageSum& sum : sums) rows.push_back(ui::to_json(sum, by));
    ui::print_value(context.streams(),
                    {{"since", rfc3339(since)},
                     {"until", rfc3339(query.now)},
                     {"by", by},
                     {"rows", rows},
                     {"total", ui::to_json(total, {})}},
                    options.output);
  } else if (sums.empty()) {
    context.note("no jobs have run since " + rfc3339(since));
  } else {
    ui::print_usage(context.streams(), sums, total, by);
  }
  note_unknown_accounts(context, accounts);
  return 0;
}

}  // namespace

Command usage_command() {
  auto options = std::make_shared<UsageOptions>();
  Command command{"usage", "Show GPU hours, by user, queue, type of GPU, project or day"};
  command.description =
      R"(GPU-H is each pod's number of GPUs times the hours from its start to its end. WELL is the time of pods that succeeded.
LOST is the time of steps that were repeated after a preemption or an eviction. FAILED is the time of failed pods,
STOPPED that of cancelled, suspended or deleted pods, and OPEN that of pods that have not ended. The other steps of a
preempted or evicted pod count like the job's outcome: as WELL, FAILED, STOPPED or, until the job has finished, OPEN.

A pod reports its steps in lines that start with "kml-attempt: " (kml-trainer prints them). If a preempted pod does not
report its steps, LOST is a range from zero to all of its time.

kml includes the jobs in the namespace, and deleted jobs that this machine submitted or recorded. kml records a
job's time, for example, when the job finishes while kml is watching (wait, logs -f, submit --wait or --follow), before `kml
delete` deletes it, and whenever you run `kml usage` or `kml runs`. COVERED is the share of the time for which kml
knows whether a pod ran. On a cluster, pods that were preempted while kml was not watching are missing; the embedded
server records all pods. "-" means unknown.

A MIG slice is counted as one GPU; --by gpu has a row for each type. A project is the job's label "project". Pods of
`kml serve` are not included.)";
  command.examples = R"(# Your team's last week, by user and type of GPU
kml usage --by user,gpu --since 7d
# Each day, for a spreadsheet
kml usage --by day,project -o csv >usage.csv)";
  command
      .add({"--by",
            "KEYS",
            "group by these, separated by commas",
            true,
            {job::usage_keys().begin(), job::usage_keys().end()},
            [options](const std::string& value) { add_keys(options->by, value); }})
      .details(
          "Print a row for each user, queue (Kueue), gpu (type), project (the job's label) or day (in this "
          "machine's time zone). Several keys give a row for each combination. [default: user]");
  command
      .option("--since", "DURATION", options->since,
              "report the time from this long ago until now: 12h, 7d [default: 30d]")
      .details(
          "Report the GPU time from this long ago until now, even of jobs that started earlier. [default: "
          "30d]");
  command.flag("-A,--all-namespaces", options->all_namespaces, "include the jobs in all namespaces")
      .details("Include the jobs in all namespaces.");
  add_output_format(command, {"table", "csv", "json", "yaml"}, options->output,
                    "print a table, or the numbers as CSV or an object")
      .details(
          "Print a table (the default), CSV without the total, or an object. Numbers are GPU hours; an "
          "unknown number is empty or null.");
  command.run = [options](Context& context) { return run_usage(context, *options); };
  return command;
}

}  // namespace kml::cli
