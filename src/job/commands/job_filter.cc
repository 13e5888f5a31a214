#include "job/commands/job_filter.h"

#include <map>

#include "kml/base/error.h"
#include "kml/base/flag_errors.h"
#include "kml/base/text.h"
#include "kml/job/submit/marks.h"
#include "kml/kube/objects/names.h"

namespace kml::cli {

using job::JobView;

namespace {

using Order = std::function<bool(const JobView&, const JobView&)>;

nanoseconds run_time(const JobView& job, Time now) {
  if (!job.started) return {};
  return job.finished.value_or(now) - *job.started;
}

/// Maps the names that the user types to sort orders.
std::map<std::string, Order> orders(Time now) {
  return {
      {"name", [](const JobView& a, const JobView& b) { return natural_less(a.name, b.name); }},
      {"newest", [](const JobView& a, const JobView& b) { return job::is_older(b, a); }},
      {"oldest", [](const JobView& a, const JobView& b) { return job::is_older(a, b); }},
      {"longest", [now](const JobView& a, const JobView& b) { return run_time(a, now) > run_time(b, now); }},
      {"gpus", [](const JobView& a, const JobView& b) { return a.gpus > b.gpus; }},
      {"state", [](const JobView& a, const JobView& b) { return a.state < b.state; }},
      {"user", [](const JobView& a, const JobView& b) { return a.user < b.user; }}};
}

std::vector<std::string> words_of_orders() {
  std::vector<std::string> words;
  for (const auto& [word, order] : orders({})) words.push_back(word);
  return words;
}

std::vector<std::string> words_of_states() {
  std::vector<std::string> words;
  for (const job::State state : job::all_states()) words.push_back(job::in_words(state));
  return words;
}

job::State state_of_word(const std::string& word) {
  std::string name = lower(word);
  if (!name.empty()) name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  if (const auto state = job::state_of_name(name)) return *state;
  throw invalid_choice(word, "--state", words_of_states());
}

}  // namespace

bool JobFilter::keeps(const JobView& job, Time now) const {
  return (!mine || job.user == api::to_dns_label(job::user_name())) && (user.empty() || job.user == user) &&
         (states.empty() || std::find(states.begin(), states.end(), job.state) != states.end()) &&
         (!since || now - job.created <= *since);
}

Order JobFilter::order(Time now) const {
  const auto all = orders(now);
  const auto found = all.find(sort);
  return found == all.end() ? Order() : found->second;
}

void add_job_filter(Command& command, JobFilter& filter) {
  command.options_under("Which jobs");
  command.flag("--mine", filter.mine, "only your jobs").details("Select only your jobs.");
  command
      .add({"--state", "STATE", "only jobs in these states", true, words_of_states(),
            [&filter](const std::string& value) {
              for (const std::string& word : split(value, ',')) filter.states.push_back(state_of_word(word));
            }})
      .details("Select only jobs in one of these states, separated by commas.");
  command
      .option("-l,--selector", "LABELS", filter.selector, "only jobs with these labels: a=b,c!=d,e in (f,g)")
      .details("Select only jobs that have these labels, in kubectl's syntax, such as a=b,c!=d,e in (f,g).");
  command.option("--user", "NAME", filter.user, "only this user's jobs")
      .details("Select only this user's jobs.");
  command
      .option("--since", "DURATION", filter.since,
              "only jobs submitted less than this long ago: 90s, 15m, 2h, 1d")
      .details("Select only jobs that were submitted less than this long ago: 90s, 15m, 2h, 1d.");
  command.choice("--sort", words_of_orders(), filter.sort, "the order; \"longest\" is by run time")
      .details("Sort the jobs in this order; \"longest\" is by run time.");
  command.option("--limit", "N", filter.limit, "at most N jobs: the newest or, with --sort, the first", 1)
      .details("Select only the N newest jobs or, with --sort, the first N jobs in that order.");
}

}  // namespace kml::cli
