#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "kml/base/clock.h"
#include "local/services/proxy.h"

namespace kml::local {

// The part of Proxy that handles ports whose pods are scaled to zero when idle.

using namespace std::chrono_literals;

void Proxy::let_wait(int port, Fd client) {
  const auto others = std::count_if(waiting_.begin(), waiting_.end(),
                                    [&](const auto& entry) { return entry.second.port == port; });
  const uint64_t number = next_number_++;
  const auto ended = [this, number] {
    loop_.after(0ms, [this, number] {  // deferred, because this destroys the client, which is the caller
      waiting_.erase(number);
      report_demand();
      end_if_unused();
    });
  };
  Waiting waiting{port, std::make_unique<WaitingClient>(
                            loop_, std::move(client),
                            WaitingClient::Events{[this, number] { on_asked(number); }, ended})};
  if (static_cast<size_t>(others) >= limits_.most_waiting)
    waiting.client->refuse(fmt::format("{}: {} other connections already wait for a replica",
                                       listeners_[port].route.service, others));
  waiting_.emplace(number, std::move(waiting));
  loop_.after(limits_.to_ask, [this, number] { on_silent(number); });
}

/// A client that sends nothing must make room for one that sends a request.
void Proxy::on_silent(uint64_t number) {
  const auto it = waiting_.find(number);
  if (it != waiting_.end() && !it->second.client->has_asked())
    it->second.client->refuse("the client sent no request");
}

void Proxy::on_asked(uint64_t number) {
  loop_.after(limits_.patience, [this, number] { on_waited(number); });
  serve_waiting();
  report_demand();
}

void Proxy::on_waited(uint64_t number) {
  const auto it = waiting_.find(number);
  if (it == waiting_.end()) return;
  const auto listener = listeners_.find(it->second.port);
  if (listener == listeners_.end()) return;
  const ServiceRoute& route = listener->second.route;
  it->second.client->refuse(fmt::format(
      "{}: no replica became ready within {}: {}", route.service, short_duration(limits_.patience),
      route.problem.empty() ? "the embedded server did not start a replica; see `kml local status`"
                            : route.problem));
  report_demand();
}

/// If a pod is ready, passes the clients on to relays. Rejects the requests for which no pod will become
/// ready.
void Proxy::serve_waiting() {
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    const auto entry = it++;
    Waiting& waiting = entry->second;
    if (waiting.client->is_refused()) continue;
    const auto listener = listeners_.find(waiting.port);
    if (listener == listeners_.end()) {
      waiting.client->refuse("no program is served at this address any more");
      continue;
    }
    const ServiceRoute& route = listener->second.route;
    if (!route.targets.empty()) {
      const int port = waiting.port;
      Fd client = waiting.client->release();
      waiting_.erase(entry);
      relay(port, std::move(client));
    } else if (route.is_hopeless && waiting.client->has_asked()) {
      waiting.client->refuse(route.service + ": " + route.problem);
    }
  }
}

/// Writes the Demand if it has changed. Sets a timer for when the next port becomes idle.
void Proxy::report_demand() {
  const auto now = std::chrono::steady_clock::now();
  Demand demand;
  std::optional<EventLoop::SteadyTime> next;
  for (auto& [port, listener] : listeners_) {
    const ServiceRoute& route = listener.route;
    if (route.idle.count() == 0) continue;
    Traffic& traffic = *listener.traffic;
    traffic.used = nullptr;
    if (route.targets.empty()) {
      if (std::any_of(waiting_.begin(), waiting_.end(), [port = port](const auto& entry) {
            const Waiting& waiting = entry.second;
            return waiting.port == port && waiting.client->has_asked() && !waiting.client->is_refused();
          }))
        demand.wanted.push_back(port);
      continue;
    }
    const auto due = (traffic.in_use > 0 ? now : traffic.last) + route.idle;
    if (due <= now) {
      demand.idle.push_back(port);
      traffic.used = [this] { loop_.defer([this] { report_demand(); }); };
    } else if (!next || due < *next) {
      next = due;
    }
  }
  loop_.cancel(demand_timer_);
  if (next) demand_timer_ = loop_.at(*next, [this] { report_demand(); });
  if (demand == reported_ || (!reported_ && demand == Demand() && !next)) return;
  ::mkdir(demand_folder(folder_).path.c_str(), 0700);
  if (demand_file_.write(to_json(demand))) reported_ = std::move(demand);
}

}  // namespace kml::local
