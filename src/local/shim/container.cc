#include "local/shim/container.h"

#include <fmt/format.h>
#include <signal.h>

#include <utility>

#include "local/shim/status_file.h"

namespace kml::local {

namespace {

nanoseconds first_delay(const PodPlan& pod) {
  return std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(pod.restart_delay_seconds));
}

/// The containerID for one of the container's runs.
std::string id_of_run(const PodPlan& pod, const ContainerPlan& container, int run) {
  return fmt::format("kml://{}/{}/{}", pod.uid, container.name, run);
}

}  // namespace

Container::Container(ContainerContext& context, const ContainerPlan& plan, const std::string& restarts)
    : context_(context),
      plan_(plan),
      policy_(restarts, first_delay(context.pod)),
      program_(context, plan,
               {[this] {
                  probes_.begin();
                  context_.changed();
                },
                [this](const ProgramEnd& how) { end(how); }}),
      probes_(context.loop, plan,
              {[this] { return requests(); }, context.changed,
               [this](const ProbePlan& probe, const std::string& why) { restart_because(probe, why); }}),
      hook_(context.loop, plan, [this] { terminate(); }) {}

void Container::start() {
  run_.emplace(context_, plan_);
  program_.start(restart_count_);
  phase_ = Phase::running;
}

void Container::terminate() {
  is_stopping_ = true;
  hook_.end();
  context_.loop.cancel(timer_);
  if (phase_ == Phase::running) program_.signal(SIGTERM);
  if (phase_ == Phase::backing_off) phase_ = Phase::finished;
}

void Container::stop() {
  if (!hook_ || phase_ != Phase::running) return terminate();
  is_stopping_ = true;
  context_.loop.cancel(timer_);
  hook_.begin(requests());
}

void Container::kill() {
  is_stopping_ = true;
  if (run_) run_->kill();
  if (phase_ == Phase::running) program_.signal(SIGUSR1);
}

void Container::kill_because(const std::string& why) {
  if (phase_ != Phase::running) return;
  run_->end_because(why);
  program_.signal(SIGUSR1);
}

void Container::restart_because(const ProbePlan& probe, const std::string& why) {
  if (phase_ != Phase::running || is_stopping_ || run_->has_fault()) return;
  run_->end_because(why);
  program_.signal(SIGTERM);
  timer_ = context_.loop.after(std::chrono::seconds(probe.grace), [this] { program_.signal(SIGUSR1); });
}

bool Container::reaped(pid_t pid) {
  return phase_ == Phase::running && program_.reaped(pid, !is_stopping_);
}

void Container::end(const ProgramEnd& end) {
  probes_.end();
  hook_.end();
  context_.loop.cancel(timer_);
  run_->end(end, id_of_run(context_.pod, plan_, restart_count_), program_.end_of_output());
  const nanoseconds length = system_clock().now() - run_->started_at();
  const auto delay = is_stopping_ ? std::nullopt : policy_.delay_after(end.exit_code, length);
  phase_ = delay ? Phase::backing_off : Phase::finished;
  if (delay) timer_ = context_.loop.after(*delay, [this] { start_again(); });
  context_.changed();
}

void Container::start_again() {
  last_terminated_ = run_->terminated();
  ++restart_count_;
  start();
  context_.changed();
}

Json Container::status() const {
  const bool up = program_.is_up();
  Json last = Json::object();
  set_said(last, {{"terminated", phase_ == Phase::backing_off ? run_->terminated() : last_terminated_}});
  Json status = {{"name", plan_.name},
                 {"state", state()},
                 {"lastState", std::move(last)},
                 {"ready", up && probes_.ready()},
                 {"started", up && probes_.started()},
                 {"restartCount", restart_count_},
                 {"containerID", id_of_run(context_.pod, plan_, restart_count_)}};
  const auto& used = program_.used();
  // These fields are only for the server, which removes them from the pod's status.
  set_said(status, {{kKeeper, up ? Json(program_.keeper()) : Json()},
                    {kUsed, used ? to_json(*used) : Json()},
                    {kUnhealthy, probes_.problem()}});
  return status;
}

Json Container::state() const {
  const auto waiting = [](const char* reason, std::string message = {}) {
    Json why = {{"reason", reason}};
    set_said(why, {{"message", std::move(message)}});
    return Json{{"waiting", std::move(why)}};
  };
  switch (phase_) {
    case Phase::waiting: return waiting("PodInitializing");
    case Phase::running:
      if (!program_.is_up()) return waiting("ContainerCreating");
      return {{"running", {{"startedAt", rfc3339(run_->started_at())}}}};
    case Phase::backing_off:
      return waiting("CrashLoopBackOff",
                     fmt::format("back-off restarting failed container={} pod={}_{}({})", plan_.name,
                                 context_.pod.name, context_.pod.namespace_name, context_.pod.uid));
    case Phase::finished: return {{"terminated", run_->terminated()}};
  }
  return {};
}

}  // namespace kml::local
