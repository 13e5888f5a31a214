#include <algorithm>
#include <set>

#include "job/logs/rank_prefix.h"
#include "job/logs/result_lines.h"
#include "job/why/replacements.h"
#include "kml/base/redrawn_line.h"
#include "kml/job/first_error/first_error.h"
#include "kml/job/logs/logs.h"
#include "kml/job/views/find.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/ownership.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

/// The number of lines to read per container, and the bytes per line. Enough for the tracebacks of eight
/// ranks.
constexpr long long kTail = 400;
constexpr size_t kLongestTailLine = 1024;

/// Adds a piece of a line. Keeps only the visible text: the last state of a progress bar.
void extend(std::string& text, const LogLine& piece) {
  text += piece.text;
  const std::string_view shown = after_carriage_returns(text);
  const size_t size = std::min(shown.size(), kLongestTailLine);
  text.erase(0, static_cast<size_t>(shown.data() - text.data()));
  const bool is_redrawn_next = !piece.ends && text.size() > shown.size();
  text.resize(size);
  if (is_redrawn_next) text += '\r';
}

void add_to(Tails& tails, std::span<const LogLine> lines) {
  for (const LogLine& line : lines) {
    std::vector<TailLine>& tail = tails[{line.source->pod_uid, line.source->container, line.source->restart}];
    if (line.begins || tail.empty()) {
      if (!tail.empty() && is_result_line(tail.back().text)) tail.pop_back();
      // Erases many lines at once, because each call of erase() moves all later lines.
      if (tail.size() == 2 * kTail) tail.erase(tail.begin(), tail.begin() + kTail);
      tail.push_back({line.time, {}});
    }
    extend(tail.back().text, line);
  }
}

/// How many of the job's pods left no trace. When the first pod fails, the controller deletes all pods that
/// it believes to be running, which may include the one that failed first.
long long lost_pods(const Json& job, const std::vector<Json>& pods, const Tails& seen) {
  const bool counts_failed = is_plain_job(job);
  std::set<std::string> known;
  for (const auto& [run, lines] : seen) known.insert(std::get<0>(run));
  for (const Json& pod : pods) {
    const std::string uid = api::uid_of(pod);
    if (counts_failed && api::phase_of(pod) == "Succeeded")
      known.erase(uid);
    else
      known.insert(uid);
  }
  const long long all = counts_failed ? api::failed_pods(job) : view_of_job(job).pods;
  return std::max(all - static_cast<long long>(known.size()), 0LL);
}

bool is_consequence(const Death& death) {
  return death.kind != EndKind::own_error && death.kind != EndKind::killed;
}

class TailReader : public LogSink {
 public:
  void lines(std::span<const LogLine> lines) override { add_to(tails_, lines); }
  void event(const LogEvent&) override {}

  /// Reads a log. Skips it if that fails, because the other logs may be enough.
  void read(kube::Client& client, const LogSelection& selection) {
    try {
      read_logs(client, selection, *this);
    } catch (const Error&) {
    }
  }
  const Tails& tails() const { return tails_; }

 private:
  Tails tails_;
};

}  // namespace

void EvidenceKeeper::lines(std::span<const LogLine> lines) {
  add_to(evidence_.tails, lines);
  next_.lines(lines);
}

void EvidenceKeeper::event(const LogEvent& event) {
  if (event.failed_pods)
    evidence_.failed_pods.insert(evidence_.failed_pods.end(), event.failed_pods->begin(),
                                 event.failed_pods->end());
  next_.event(event);
}

namespace {

void drop_replaced(const Json& job, std::vector<Json>& pods) {
  std::vector<const Json*> all;
  for (const Json& pod : pods) all.push_back(&pod);
  const Replacements replaced(job, all);
  std::set<std::string> gone;
  for (const Json& pod : pods)
    if (replaced.has(pod)) gone.insert(api::uid_of(pod));
  std::erase_if(pods, [&](const Json& pod) { return gone.contains(api::uid_of(pod)); });
}

}  // namespace

std::optional<FirstError> first_error_of(kube::Client& client, const Json& job, const Evidence& seen) {
  std::vector<Json> pods = seen.pods ? *seen.pods : pods_of(client, job);
  const std::vector<Json> there = pods;
  for (const Json& pod : seen.failed_pods)
    if (has_pod(job, pod) && std::none_of(pods.begin(), pods.end(), [&pod](const Json& known) {
          return api::uid_of(known) == api::uid_of(pod);
        }))
      pods.push_back(pod);
  const long long lost = lost_pods(job, pods, seen.tails);
  if (seen.only_last_attempts) drop_replaced(job, pods);
  std::vector<Death> deaths = deaths_of(job, std::move(pods), seen.only_last_attempts);
  if (deaths.empty()) return {};
  TailReader reader;
  LogSelection selection{.jobs = {job}, .pods = there, .tail = kTail};
  reader.read(client, selection);
  selection.previous = true;
  const auto unread = [&](const Death& death) {
    const std::tuple run(death.source.pod_uid, death.source.container, death.source.restart);
    return !reader.tails().contains(run) && !seen.tails.contains(run);
  };
  if (std::any_of(deaths.begin(), deaths.end(), unread)) reader.read(client, selection);
  Tails tails = reader.tails();
  tails.insert(seen.tails.begin(), seen.tails.end());
  deaths = explained(deaths, tails, ranks_per_pod(job));
  const Death* first = died_first(deaths);
  if (!first) return {};
  return FirstError{*first, is_consequence(*first) ? lost : 0};
}

}  // namespace kml::job
