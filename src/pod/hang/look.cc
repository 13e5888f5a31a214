#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "job/logs/container_state.h"
#include "kml/base/json.h"
#include "kml/base/text.h"
#include "kml/job/views/find.h"
#include "kml/job/views/pod_view.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/pod/streams/running_rank.h"
#include "pod/hang/hang.h"
#include "pod/hang/log_tier.h"
#include "pod/hang/probe.h"
#include "pod/hang/ras_tier.h"
#include "pod/streams/remote_run.h"

namespace kml::pod {

namespace {

/// How much longer than the time between the samples a probe may take.
constexpr std::chrono::seconds kLongestProbe{10};
/// RAS itself waits for its peers for five seconds.
constexpr std::chrono::seconds kLongestRas{7};
/// Any rank can answer for all ranks, unless it is stopped, so only a few ranks are asked.
constexpr size_t kRanksAskedByRas = 3;
constexpr size_t kMostOutput = size_t{8} << 20;

/// The probe of one rank.
struct Probing {
  std::string output = {};
  std::unique_ptr<RemoteRun> run = {};
  std::optional<Error> failure = {};

  bool is_over() const { return failure || run->end(); }
};

class Looker {
 public:
  Looker(kube::Client& client, const job::JobOrTask& named, std::string container,
         std::chrono::seconds between, std::string py_spy)
      : client_(client),
        named_(named),
        container_(std::move(container)),
        between_(between),
        py_spy_(std::move(py_spy)) {}

  JobLook look();

 private:
  void find_ranks();
  std::optional<LogTier> read_logs_once();
  void find_deaths();
  void start_probes();
  void wait_until(http::SteadyTime deadline, const std::function<bool()>& is_over);
  void end_probes();
  bool is_ras_of_job(const std::string& pod_uid) const;
  bool compares_ras(size_t place);
  void ask_ras_again();
  void take_probes();
  void take_probe(RankLook& rank, const Probing& probing);
  void add_unseen(const std::string& what) {
    if (std::find(look_.unseen.begin(), look_.unseen.end(), what) == look_.unseen.end())
      look_.unseen.push_back(what);
  }
  void add_unseen_of_ranks();

  kube::Client& client_;
  const job::JobOrTask& named_;
  const std::string container_;
  const std::chrono::seconds between_;
  const std::string py_spy_;
  JobLook look_;
  std::vector<Json> pods_;
  std::vector<RunningRank> running_;
  std::map<std::string, size_t> places_;                ///< the pods in look_.ranks, by uid
  std::deque<Probing> probes_;                          ///< parallel to running_
  std::deque<std::unique_ptr<RasQuestion>> questions_;  ///< the questions to the first ranks in running_
  std::string ras_problem_;                             ///< why the last question was not answered
  /// The data that could not be read, and the ranks concerned.
  std::map<std::string, std::vector<std::string>> unseen_;
};

std::vector<std::string> addresses_of(const Json& pod) {
  std::vector<std::string> addresses;
  for (const char* list : {"podIPs", "hostIPs"})
    for (const Json& one : array_at(pod, {"status", list})) addresses.push_back(string_at(one, {"ip"}));
  for (const char* name : {"podIP", "hostIP"}) addresses.push_back(string_at(pod, {"status", name}));
  std::erase(addresses, "");
  return addresses;
}

bool is_on_loopback(const Json& pod) {
  return string_at(pod, {"status", "podIP"}).starts_with("127.");
}

void Looker::find_ranks() {
  running_ = running_ranks(client_, named_, "", container_);
  const std::vector<Json> all = job::pods_of(client_, named_.job);
  std::vector<const Json*> refs;
  for (const Json& pod : all) refs.push_back(&pod);
  // The newest pod of each rank that has started. Includes pods that have ended while others are running,
  // because the running ranks may wait for the ended ones. Why a pod waits to start is explained by `kml
  // why`.
  using Place = std::pair<int, std::string>;
  std::map<Place, const Json*> newest;
  std::set<Place> waiting;
  for (const Json* pod : named_.own(refs)) {
    pods_.push_back(*pod);
    const std::optional<int> rank = job::rank_of(*pod, &named_.job);
    const Place place = {rank.value_or(0), rank ? "" : api::name_of(*pod)};
    if (api::phase_of(*pod) == "Pending") {
      waiting.insert(place);
      continue;
    }
    const Json*& known = newest[place];
    if (!known || api::creation_text(*known) <= api::creation_text(*pod)) known = pod;
  }
  for (const auto& [place, pod] : newest) {
    const std::string uid = api::uid_of(*pod);
    const auto runs = std::find_if(running_.begin(), running_.end(),
                                   [&](const RunningRank& rank) { return rank.pod_uid == uid; });
    places_[uid] = look_.ranks.size();
    RankLook rank{
        .label = job::short_pod_name(*pod, api::name_of(named_.job)),
        .rank = job::rank_of(*pod, &named_.job),
        .pod = api::name_of(*pod),
        .node = api::node_of(*pod),
        .addresses = addresses_of(*pod),
        .shares_network = bool_at(*pod, {"spec", "hostNetwork"}) || is_on_loopback(*pod),
        .started = job::basic_view_of_pod(*pod).started,
        .runs = runs != running_.end(),
        .starts_again = waiting.contains(place) || (runs == running_.end() && !api::pod_has_ended(*pod))};
    if (rank.runs) rank.restarts = job::container_state(*pod, runs->container).restarts;
    look_.ranks.push_back(std::move(rank));
  }
}

std::optional<LogTier> Looker::read_logs_once() {
  try {
    return LogTier(client_, named_.job, pods_);
  } catch (const Error& error) {
    add_unseen("the logs: " + message_and_why(error));
    return {};
  }
}

void Looker::find_deaths() {
  try {
    look_.died = job::first_error_of(client_, named_.job, {.pods = pods_});
  } catch (const Error& error) {
    add_unseen("earlier failures: " + message_and_why(error));
  }
}

void Looker::start_probes() {
  for (const RunningRank& rank : running_) {
    Probing& probing = probes_.emplace_back();
    try {
      probing.run = std::make_unique<RemoteRun>(
          client_,
          kube::RemoteCommand{
              .namespace_name = rank.namespace_name,
              .pod = rank.pod,
              .container = rank.container,
              .command = probe_command(between_, py_spy_.empty() ? "" : py_spy_in(py_spy_, rank))},
          RemoteRun::Handler{.on_output =
                                 [&probing](bool is_error, std::string_view bytes) {
                                   if (!is_error && probing.output.size() < kMostOutput)
                                     probing.output += bytes;
                                 }},
          RemoteRun::Shell::becomes_command);  // the probe then recognizes its own processes
    } catch (const Error& error) {
      probing.failure = error;
    }
  }
}

void Looker::wait_until(http::SteadyTime deadline, const std::function<bool()>& is_over) {
  http::Transport& transport = client_.transport();
  while (!is_over() && transport.now() < deadline)
    transport.wait(std::chrono::ceil<std::chrono::milliseconds>(deadline - transport.now()));
}

/// Kills probes that are still running, because they would be left behind. A probe may hang when it reads a
/// process whose memory is locked.
void Looker::end_probes() {
  bool any = false;
  for (const Probing& probing : probes_)
    if (!probing.is_over()) any |= probing.run->send_signal("KILL");
  if (any) wait_until(client_.transport().now() + std::chrono::seconds(1), [] { return false; });
}

/// Whether the answer of RAS is about this job. Pods that share a network, as all pods on this machine do,
/// may reach a different job's RAS, and its processes may have the same numbers. So only the open socket
/// shows to which job an answer belongs. If the probe saw no socket, evidence_of() compares numbers.
bool Looker::is_ras_of_job(const std::string& pod_uid) const {
  const auto place = places_.find(pod_uid);
  if (place == places_.end()) return true;
  const RankLook& asked = look_.ranks[place->second];
  if (!asked.shares_network || asked.ras_sockets.empty()) return true;
  return std::any_of(look_.ranks.begin(), look_.ranks.end(), [&](const RankLook& rank) {
    return rank.node == asked.node &&
           std::find_first_of(rank.own_sockets.begin(), rank.own_sockets.end(), asked.ras_sockets.begin(),
                              asked.ras_sockets.end()) != rank.own_sockets.end();
  });
}

/// If the rank has answered the first request, sends a second request.
bool Looker::compares_ras(size_t place) {
  try {
    look_.ras = questions_[place]->answer();
    if (!is_ras_of_job(running_[place].pod_uid))
      throw Error(ErrorCode::failure, "port 28028 belongs to another job");
    RasQuestion again(client_, running_[place]);
    wait_until(client_.transport().now() + kLongestRas, [&] { return again.is_over(); });
    look_.ras_later = again.answer();
    return true;
  } catch (const Error& error) {
    ras_problem_ = message_and_why(error);
    return false;
  }
}

/// Sends the second request some seconds after the first one. If the answer came late or was incomplete,
/// gives the rank more time once.
void Looker::ask_ras_again() {
  for (size_t i = 0; i < questions_.size(); ++i)
    if (compares_ras(i)) return;
  const auto late = std::find_if(questions_.begin(), questions_.end(),
                                 [](const auto& one) { return one->is_late_or_cut(); });
  if (late != questions_.end()) {
    const auto place = static_cast<size_t>(late - questions_.begin());
    if ((*late)->is_over()) *late = std::make_unique<RasQuestion>(client_, running_[place]);
    wait_until(client_.transport().now() + kLongestRas, [&] { return (*late)->is_over(); });
    if ((*late)->has_answer()) wait_until(client_.transport().now() + between_, [] { return false; });
    if (compares_ras(place)) return;
  }
  add_unseen("NCCL's RAS (" + ras_problem_ + ")");
}

void Looker::take_probe(RankLook& rank, const Probing& probing) {
  if (probing.failure) {
    unseen_["processes (" + message_and_why(*probing.failure) + ")"].push_back(rank.name());
    return;
  }
  const std::optional<RemoteEnd>& end = probing.run->end();
  Probe probe = parse_probe(probing.output);
  rank.processes = std::move(probe.processes);
  rank.stacks = std::move(probe.stacks);
  rank.earlier_stacks = std::move(probe.earlier_stacks);
  rank.file_waits = std::move(probe.file_waits);
  rank.gpu_use = probe.gpu_use;
  rank.ras_sockets = std::move(probe.ras_sockets);
  rank.own_sockets = std::move(probe.own_sockets);
  rank.flights = std::move(probe.flights);
  if (!probe.flights_unseen.empty())
    unseen_["PyTorch's flight recorder (" + probe.flights_unseen + ")"].push_back(rank.name());
  if (!probe.is_whole)
    unseen_["processes (" +
            (end && end->error ? message_and_why(*end->error)
             : end             ? "its image may lack a shell, `sleep` or /proc"
                               : "no answer in time") +
            ")"]
        .push_back(rank.name());
  else if (probe.has_python && rank.stacks.empty())
    unseen_["Python stacks (" + (probe.stacks_unseen.empty() ? "no answer in time" : probe.stacks_unseen) +
            ")"]
        .push_back(rank.name());
}

void Looker::take_probes() {
  for (size_t i = 0; i < running_.size(); ++i)
    if (const auto place = places_.find(running_[i].pod_uid); place != places_.end())
      take_probe(look_.ranks[place->second], probes_[i]);
}

void Looker::add_unseen_of_ranks() {
  for (const auto& [what, ranks] : unseen_)
    add_unseen((ranks.size() == running_.size() ? "" : "rank " + some_of(ranks) + ": ") + what);
}

JobLook Looker::look() {
  look_.job = named_.name();
  look_.between = between_;
  find_ranks();
  const auto begin = client_.transport().now();
  const std::optional<LogTier> logs = read_logs_once();
  find_deaths();
  start_probes();
  for (size_t i = 0; i < std::min(kRanksAskedByRas, running_.size()); ++i)
    questions_.push_back(std::make_unique<RasQuestion>(client_, running_[i]));
  const auto deadline = client_.transport().now() + between_ + kLongestProbe;
  const auto are_probed = [&] {
    return std::all_of(probes_.begin(), probes_.end(), [](const Probing& one) { return one.is_over(); });
  };
  const auto is_answered = [&] {
    return std::all_of(questions_.begin(), questions_.end(),
                       [](const auto& one) { return one->is_over(); }) ||
           std::any_of(questions_.begin(), questions_.end(),
                       [](const auto& one) { return one->has_answer(); });
  };
  wait_until(deadline, are_probed);
  wait_until(begin + kLongestRas, is_answered);
  wait_until(begin + between_, [] { return false; });
  end_probes();
  const std::optional<LogTier> later = logs ? read_logs_once() : std::nullopt;
  take_probes();
  ask_ras_again();
  add_unseen_of_ranks();
  look_.now = system_clock().now();
  for (const auto& [uid, place] : places_)
    if (logs) look_.ranks[place].log = later ? logs->look_of(uid, *later) : logs->look_of(uid);
  return std::move(look_);
}

}  // namespace

JobLook look_at(kube::Client& client, const job::JobOrTask& named, const std::string& container,
                std::chrono::seconds between, const std::string& py_spy) {
  return Looker(client, named, container, between, py_spy).look();
}

}  // namespace kml::pod
