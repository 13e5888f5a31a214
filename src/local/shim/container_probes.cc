#include "local/shim/container_probes.h"

#include <algorithm>
#include <utility>

namespace kml::local {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kFirstHaste = 5ms;

}  // namespace

Probe::Probe(EventLoop& loop, const ProbePlan& plan, std::string container, bool is_hasty,
             std::function<const Fd*()> requests, std::function<void(bool)> found,
             std::function<void()> changed)
    : loop_(loop),
      plan_(plan),
      container_(std::move(container)),
      is_hasty_(is_hasty),
      requests_(std::move(requests)),
      found_(std::move(found)),
      changed_(std::move(changed)) {}

Probe::~Probe() {
  if (timer_) loop_.cancel(*timer_);
}

void Probe::start() {
  const auto delay = std::chrono::seconds(plan_.initial_delay);
  haste_ = kFirstHaste;
  next_that_counts_ = std::chrono::steady_clock::now() + delay;
  if (is_hasty_) next_that_counts_ += std::chrono::seconds(plan_.period);
  try_after(delay);
}

void Probe::try_after(std::chrono::nanoseconds delay) {
  timer_ = loop_.after(delay, [this] {
    timer_.reset();
    attempt_ = start_probe_attempt(loop_, plan_, container_, requests_(), [this](const std::string& problem) {
      // Deferred, because this destroys the attempt, which is the caller.
      timer_ = loop_.after(0ns, [this, problem] { take_result(problem); });
    });
  });
}

void Probe::take_result(const std::string& problem) {
  timer_.reset();
  attempt_.reset();
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::nanoseconds period = std::chrono::seconds(plan_.period);
  if (!problem.empty() && is_hasty_ && now < next_that_counts_) {
    const auto delay = std::min<std::chrono::nanoseconds>(haste_, next_that_counts_ - now);
    // with this period, a success is noticed after a delay of at most a quarter of the time so far
    haste_ = std::min(haste_ + haste_ / 4, period);
    return try_after(delay);
  }
  next_that_counts_ = now + period;
  const bool passed = problem.empty();
  if (passed) is_hasty_ = false;
  if (std::exchange(problem_, problem) != problem) changed_();
  passed_ = passed ? passed_ + 1 : 0;
  failed_ = passed ? 0 : failed_ + 1;
  try_after(period);
  // This must come last, because the callback may destroy this probe.
  if (passed ? passed_ >= plan_.successes : failed_ >= plan_.failures) found_(passed);
}

ContainerProbes::ContainerProbes(EventLoop& loop, const ContainerPlan& plan, Callbacks callbacks)
    : loop_(loop), plan_(plan), callbacks_(std::move(callbacks)) {}

void ContainerProbes::begin() {
  started_ = !plan_.startup;
  ready_ = !plan_.readiness;
  if (started_) return begin_others();
  make(startup_, plan_.startup, true, [this](bool passed) {
    if (!passed) return probe_failed("startup", *startup_);
    loop_.after(0ns, [this] {  // deferred, because this destroys the probe, which is the caller
      if (!startup_) return;
      startup_.reset();
      started_ = true;
      begin_others();
      callbacks_.changed();
    });
  });
}

void ContainerProbes::begin_others() {
  make(liveness_, plan_.liveness, false, [this](bool passed) {
    if (!passed) probe_failed("liveness", *liveness_);
  });
  make(readiness_, plan_.readiness, true, [this](bool passed) {
    if (std::exchange(ready_, passed) != passed) callbacks_.changed();
  });
}

void ContainerProbes::make(std::optional<Probe>& probe, const ProbePlan& plan, bool is_hasty,
                           std::function<void(bool)> found) {
  if (!plan) return;
  probe.emplace(loop_, plan, plan_.name, is_hasty, callbacks_.requests, std::move(found), callbacks_.changed);
  probe->start();
}

void ContainerProbes::end() {
  startup_.reset();
  liveness_.reset();
  readiness_.reset();
  started_ = ready_ = false;
}

void ContainerProbes::probe_failed(const char* kind, const Probe& probe) {
  callbacks_.failed(probe.plan(), std::string(kind) + " probe failed: " + probe.problem());
}

std::string ContainerProbes::problem() const {
  for (const auto& [name, probe] : {std::pair("Startup", &startup_), std::pair("Liveness", &liveness_),
                                    std::pair("Readiness", &readiness_)})
    if (*probe && !(*probe)->problem().empty())
      return std::string(name) + " probe failed: " + (*probe)->problem();
  return {};
}

}  // namespace kml::local
