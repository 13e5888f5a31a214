#include "engine/watching/watching_runner.h"

#include "job/logs/open_files.h"
#include "kml/engine/watching/wait_without_pods.h"
#include "kml/job/capacity/workloads.h"
#include "kml/job/views/ownership.h"
#include "kml/kube/objects/object.h"

namespace kml::engine {

namespace {

/// The log of a job that ends within this time needs only one request.
constexpr std::chrono::milliseconds kPatience{1'000};

}  // namespace

WatchingRunner::WatchingRunner(kube::Client& client, WatchOptions options, const job::Interrupt& interrupt)
    : client_(client),
      options_(std::move(options)),
      requests_(client_, options_),
      interrupt_(interrupt),
      context_{client_, selection_, *this, options_.is_patient ? kPatience : kPatience.zero()} {
  context_.looks_twice = true;  // an end without metrics is final
  job::allow_many_open_files();
}

void WatchingRunner::watch(const api::ResourceKind& kind) {
  if (!watched_.insert(kind.path(options_.namespace_name)).second) return;
  const bool is_first = watches_.empty();
  last_change_ = client_.transport().now();  // the watch has not listed anything yet
  watch_kind(kind, &WatchingRunner::on_job);
  if (is_first) watch_kind(*api::find_kind("v1", "Pod"), &WatchingRunner::on_pod);
}

void WatchingRunner::watch_kind(const api::ResourceKind& kind,
                                void (WatchingRunner::*on_change)(kube::Change, const Json&)) {
  watches_.push_back(kube::watch(client_, kind, options_.namespace_name,
                                 {.label_selector = options_.label_selector, .is_patient = true},
                                 {[this, on_change](kube::Change change, const Json& object) {
                                    last_change_ = client_.transport().now();
                                    (this->*on_change)(change, object);
                                  },
                                  [] {}, [this](const Error& error) { context_.failure = error; },
                                  [this](const Error& error, std::chrono::milliseconds delay) {
                                    if (delay.count() > 0) options_.on_retry(error);
                                  }}));
}

bool WatchingRunner::is_quiet() const {
  constexpr std::chrono::seconds kQuiet{2};
  return client_.transport().now() - last_change_ >= kQuiet;
}

bool WatchingRunner::list_pods(const Json& job, const std::string& labels) {
  std::string selector = job::pod_selector(job);
  const bool is_labelled = !options_.ends || api::api_version_of(job).starts_with("kubeflow.org/");
  if (!is_labelled) selector = options_.label_selector;
  // the job's operator may not pass the sweep's labels on to its pods
  if (!is_labelled && !options_.pod_labels.empty()) {
    selector.clear();
    for (const auto& [name, value] : options_.pod_labels)
      selector += (selector.empty() ? "" : ",") + name + "=" + value;
  }
  const kube::ListOptions options{.label_selector = selector + (labels.empty() ? "" : "," + labels)};
  kube::ListResult pods;
  const bool is_listed = requests_.try_request(
      [&] { pods = client_.list(*api::find_kind("v1", "Pod"), options_.namespace_name, options); });
  for (const Json& pod : pods.items) on_pod(kube::Change::modified, pod);
  return is_listed;
}

std::optional<http::SteadyTime> WatchingRunner::start_of_long_waits() const {
  constexpr std::chrono::seconds kLongWithoutPods{5}, kBetweenLooks{15};
  const http::SteadyTime now = client_.transport().now();
  if (now - looked_for_waits_ < kBetweenLooks) return {};
  return now - kLongWithoutPods;
}

std::optional<std::string> WatchingRunner::look_for_wait(const std::string& job) {
  looked_for_waits_ = client_.transport().now();
  return wait_without_pods(client_, options_.namespace_name, job);
}

JobPods WatchingRunner::new_pods(const std::string& name, bool each_rank_counts) {
  const LogUse logs = !options_.reads_logs         ? LogUse::none
                      : options_.has_metrics(name) ? LogUse::all
                                                   : LogUse::of_failed;
  return {{context_, sources_, reports_, logs, each_rank_counts, options_.container, options_.pod_labels},
          name,
          MetricReader(options_.resource, options_.filters, options_.metrics, options_.reads_events)};
}

void WatchingRunner::lines(std::span<const job::LogLine> lines) {
  for (const job::LogLine& line : lines) {
    if (JobPods* pods = pods_of(*line.source)) pods->line(line);
    if (!line.begins || !line.ends) continue;
    if (const auto named = packages::environment_in(line.text); !named.id.empty())
      options_.on_environment(named);
  }
}

void WatchingRunner::event(const job::LogEvent& event) {
  if (!event.source) return;
  if (JobPods* pods = pods_of(*event.source)) pods->event(event);
}

std::vector<JobReport> WatchingRunner::wait(std::chrono::milliseconds limit) {
  const auto until = client_.transport().now() + limit;
  const int wake[] = {interrupt_.fd()};
  while (true) {
    interrupt_.check();
    if (context_.failure) throw Error(*context_.failure);
    look_for_ends();
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - client_.transport().now());
    if (!reports_.empty() || left.count() <= 0) return std::exchange(reports_, {});
    client_.transport().wait(left, wake);
  }
}

}  // namespace kml::engine
