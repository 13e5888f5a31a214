#include "local/shim/container.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "kml/base/error.h"
#include "kml/kube/objects/container.h"
#include "local/shim/status_file.h"

namespace kml::local {

namespace {

using namespace std::chrono_literals;

constexpr auto kLongestDelay = 300s;
// A container that has run this long has recovered: its next failure is treated as the first.
constexpr auto kRecovered = 600s;
// An unfinished line is written to the log after this time, unless its rest follows: at most 50 parts a
// second.
constexpr auto kSettled = 20ms;
// The exit code that containerd reports for a program that could not be started.
constexpr int kStartError = 128;
// MaxContainerTerminationMessageLength of k8s.io/kubernetes/pkg/kubelet/container.
constexpr off_t kLongestMessage = 4096;

/// The file's last bytes; empty if there are none.
std::string end_of(const std::filesystem::path& file) {
  const Fd fd = open_pod_file(file, O_RDONLY);
  if (!fd) return {};
  const off_t size = ::lseek(fd.get(), 0, SEEK_END);
  std::string text(static_cast<size_t>(kLongestMessage), '\0');
  const ssize_t got = ::pread(fd.get(), text.data(), text.size(), std::max<off_t>(size - kLongestMessage, 0));
  text.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

}  // namespace

Container::Container(Context& context, const ContainerPlan& plan, std::string restarts)
    : context_(context),
      plan_(plan),
      restarts_(std::move(restarts)),
      probes_(context.loop, plan,
              {[this] { return requests(); }, context.changed,
               [this](const ProbePlan& probe, const std::string& why) { restart_because(probe, why); }}) {}

void Container::start() {
  log_ = std::make_unique<LogWriter>(context_.folder.logs(plan_.name), restart_count_, system_clock(),
                                     LogLimits::of(context_.pod.log_bytes));
  tail_ = {};
  if (!plan_.message_path.empty()) {
    // Programs that give up root must be able to write to it too.
    const Fd file = open_pod_file(message_file(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file) ::fchmod(file.get(), 0666);
  }
  memory_kills_.emplace();
  if (std::string counts = context_.cgroup.memory_statistics(plan_); !counts.empty())
    limit_kills_.emplace(counts);
  started_at_ = system_clock().now();
  launch(no_namespaces_.empty());
}

void Container::launch(bool namespaces) {
  int out[2], err[2];
  if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0)
    throw system_error("cannot make a pipe", errno);
  output_[0] = Fd(out[0]);
  output_[1] = Fd(err[0]);
  Fd out_writer(out[1]), err_writer(err[1]);
  started_ = false;
  refusal_.clear();
  keeper_ = start_keeper({plan_, out_writer.get(), err_writer.get(), message_file(),
                          context_.folder.path / "stage", namespaces, context_.cgroup.entrances(plan_),
                          context_.cgroup.limits_processes() ? 0 : context_.pod.max_processes});
  for (OutputStream stream : {OutputStream::out, OutputStream::err}) {
    const int fd = output_[static_cast<int>(stream)].get();
    ::fcntl(fd, F_SETFL, O_NONBLOCK);
    context_.loop.watch(fd, EPOLLIN, [this, stream](uint32_t events) { read_output(stream, events); });
  }
  ::fcntl(keeper_.reports.get(), F_SETFL, O_NONBLOCK);
  context_.loop.watch(keeper_.reports.get(), EPOLLIN, [this](uint32_t) { read_reports(); });
  phase_ = Phase::running;
}

void Container::terminate() {
  stopping_ = true;
  end_hook();
  if (phase_ == Phase::running) ::kill(keeper_.pid, SIGTERM);
  if (phase_ != Phase::backing_off) return;
  context_.loop.cancel(timer_);
  phase_ = Phase::finished;
}

void Container::stop() {
  const ProbePlan& hook = plan_.pre_stop;
  if (!hook || phase_ != Phase::running) return terminate();
  stopping_ = in_hook_ = true;
  context_.loop.cancel(stop_timer_);
  if (hook.action == "sleep")
    stop_timer_ = context_.loop.after(std::chrono::seconds(hook.timeout), [this] { terminate(); });
  else  // also if it fails, as the kubelet
    hook_ = start_probe_attempt(context_.loop, hook, plan_.name, requests(),
                                [this](const std::string&) { terminate(); });
}

void Container::end_hook() {
  in_hook_ = false;
  context_.loop.cancel(stop_timer_);
  hook_.reset();
}

void Container::kill() {
  stopping_ = killed_ = true;
  if (phase_ == Phase::running) ::kill(keeper_.pid, SIGUSR1);
}

void Container::kill_because(const std::string& why) {
  if (phase_ != Phase::running) return;
  killed_because_ = why;
  ::kill(keeper_.pid, SIGUSR1);
}

void Container::restart_because(const ProbePlan& probe, const std::string& why) {
  if (phase_ != Phase::running || stopping_ || !killed_because_.empty()) return;
  killed_because_ = why;
  ::kill(keeper_.pid, SIGTERM);
  stop_timer_ = context_.loop.after(std::chrono::seconds(probe.grace), [this] {
    if (phase_ == Phase::running) ::kill(keeper_.pid, SIGUSR1);
  });
}

void Container::read_output(OutputStream stream, uint32_t) {
  Fd& fd = output_[static_cast<int>(stream)];
  char buffer[1 << 16];
  const ssize_t got = ::read(fd.get(), buffer, sizeof buffer);
  if (got > 0) return take_output(stream, {buffer, static_cast<size_t>(got)});
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  context_.loop.forget(fd.get());
  fd = Fd();
}

void Container::take_output(OutputStream stream, std::string_view bytes) {
  log_->write(stream, bytes);
  if (plan_.message_from_log) tail_.add(bytes);
  if (log_->has_unfinished() && !unfinished_) write_unfinished_later();
}

void Container::write_unfinished_later() {
  unfinished_ = context_.loop.after(kSettled, [this] {
    unfinished_.reset();
    log_->write_unfinished();
  });
}

/// Reads what the pipes still hold, then closes them. Processes elsewhere that still have a pipe open do not
/// keep the container alive.
void Container::close_output() {
  for (OutputStream stream : {OutputStream::out, OutputStream::err}) {
    Fd& fd = output_[static_cast<int>(stream)];
    if (!fd) continue;
    char buffer[1 << 16];
    ssize_t got;
    while ((got = ::read(fd.get(), buffer, sizeof buffer)) > 0)
      take_output(stream, {buffer, static_cast<size_t>(got)});
    context_.loop.forget(fd.get());
    fd = Fd();
  }
  if (unfinished_) context_.loop.cancel(*unfinished_);
  unfinished_.reset();
  log_->finish();
}

/// Does not wait for the keeper to exit after its last report: no other process is left, and the keeper may
/// need a while to remove its namespaces.
void Container::read_reports() {
  KeeperReport record;
  ssize_t got = -1;
  while (phase_ == Phase::running &&
         (got = ::read(keeper_.reports.get(), &record, sizeof record)) == sizeof record) {
    switch (record.kind) {
      case KeeperReport::no_namespaces: no_namespaces_ = record.text; break;
      case KeeperReport::refused: refusal_ = record.text; break;
      case KeeperReport::started:
        started_ = true;
        probes_.begin();
        context_.changed();
        break;
      case KeeperReport::ended: ended(record); break;
    }
  }
  if (got == 0) context_.loop.forget(keeper_.reports.get());
}

bool Container::reaped(pid_t pid) {
  if (phase_ != Phase::running || pid != keeper_.pid) return false;
  const bool had_namespaces = no_namespaces_.empty();
  read_reports();
  if (phase_ != Phase::running) return true;
  forget_keeper();
  if (had_namespaces && !no_namespaces_.empty() && !stopping_) {
    for (Fd& fd : output_) {
      if (fd) context_.loop.forget(fd.get());
      fd = Fd();
    }
    launch(false);
    return true;
  }
  // Done before the end is reported, so that everything the container held is free by then.
  if (started_) context_.kill_orphans();
  close_output();
  if (!refusal_.empty())
    end(kStartError, "StartError", refusal_);
  else
    end(128 + SIGKILL, "Error", "the container's processes were killed");
  return true;
}

void Container::ended(const KeeperReport& report) {
  const int status = report.status;
  if (!used_) used_.emplace();
  used_->add({static_cast<double>(report.cpu_microseconds) / 1e6, report.peak_process,
              context_.cgroup.peak_memory(plan_)});
  forget_keeper();
  close_output();
  if (WIFSIGNALED(status)) return end(128 + WTERMSIG(status), "Error", "");
  end(WEXITSTATUS(status), WEXITSTATUS(status) == 0 ? "Completed" : "Error", "");
}

void Container::forget_keeper() {
  context_.loop.forget(keeper_.reports.get());
  keeper_ = {};
}

/// The program's termination message; if it left none and failed, the end of its output (if the policy
/// allows).
std::string Container::message_of(int exit_code) const {
  std::string message;
  if (!plan_.message_path.empty()) message = end_of(message_file());
  return message.empty() && exit_code != 0 ? tail_.text() : message;
}

void Container::end(int exit_code, std::string reason, std::string message) {
  const Time now = system_clock().now();
  probes_.end();
  end_hook();
  exit_code_ = exit_code;
  const bool over_limit = exit_code != 0 && !killed_ && limit_kills_ && limit_kills_->killed() > 0;
  if (over_limit) {
    reason = "OOMKilled";
    message = fmt::format("the container reached its memory limit of {} bytes", plan_.memory_limit);
  }
  terminated_ = {{"exitCode", exit_code},
                 {"reason", std::move(reason)},
                 {"startedAt", rfc3339(started_at_)},
                 {"finishedAt", rfc3339(now)},
                 {"containerID", api::container_id_of(status())}};
  const bool by_signal = exit_code > 128 && exit_code != kStartError;
  if (!killed_because_.empty()) message = std::exchange(killed_because_, {});
  if (exit_code == 128 + SIGKILL && !killed_ && !over_limit && message.empty())
    if (std::string why = memory_kills_->explanation(); !why.empty()) message = std::move(why);
  if (message.empty()) message = message_of(exit_code);
  set_said(terminated_,
           {{"signal", by_signal ? Json(exit_code - 128) : Json()}, {"message", std::move(message)}});
  const bool again = !stopping_ && (restarts_ == "Always" || (restarts_ == "OnFailure" && exit_code != 0));
  if (again)
    back_off();
  else
    phase_ = Phase::finished;
  context_.changed();
}

void Container::back_off() {
  if (system_clock().now() - started_at_ > kRecovered) delay_ = 0s;
  phase_ = Phase::backing_off;
  timer_ = context_.loop.after(delay_, [this] {
    last_terminated_ = std::exchange(terminated_, nullptr);
    ++restart_count_;
    start();
    context_.changed();
  });
  const auto first = std::chrono::duration_cast<nanoseconds>(
      std::chrono::duration<double>(context_.pod.restart_delay_seconds));
  delay_ = delay_ == 0s ? first : std::min<nanoseconds>(2 * delay_, kLongestDelay);
}

Json Container::status() const {
  const bool up = phase_ == Phase::running && started_;
  Json last = Json::object();
  set_said(last, {{"terminated", phase_ == Phase::backing_off ? terminated_ : last_terminated_}});
  Json status = {
      {"name", plan_.name},
      {"state", state()},
      {"lastState", std::move(last)},
      {"ready", up && probes_.ready()},
      {"started", up && probes_.started()},
      {"restartCount", restart_count_},
      {"containerID", fmt::format("kml://{}/{}/{}", context_.pod.uid, plan_.name, restart_count_)}};
  // Only for the server, which removes them from the pod's status.
  set_said(status, {{kKeeper, up ? Json(keeper_.pid) : Json()},
                    {kUsed, used_ ? to_json(*used_) : Json()},
                    {kUnhealthy, probes_.problem()}});
  return status;
}

Json Container::state() const {
  const auto waiting = [](const char* reason, std::string message = {}) {
    Json why = {{"reason", reason}};
    set_said(why, {{"message", std::move(message)}});
    return Json{{"waiting", std::move(why)}};
  };
  if (phase_ == Phase::backing_off)
    return waiting("CrashLoopBackOff",
                   fmt::format("back-off restarting failed container={} pod={}_{}({})", plan_.name,
                               context_.pod.name, context_.pod.namespace_name, context_.pod.uid));
  if (phase_ == Phase::running && started_) return {{"running", {{"startedAt", rfc3339(started_at_)}}}};
  if (phase_ == Phase::finished && !terminated_.is_null()) return {{"terminated", terminated_}};
  return waiting(phase_ == Phase::running ? "ContainerCreating" : "PodInitializing");
}

}  // namespace kml::local
