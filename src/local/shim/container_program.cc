#include "local/shim/container_program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "kml/base/written_path.h"

namespace kml::local {

namespace {

/// What is wrong with the first output that the program should have written; empty if nothing.
std::string missing_output(const ContainerPlan& plan, Time began) {
  for (const std::string& output : plan.outputs) {
    const size_t equals = output.find('=');
    if (const std::string why = not_written(output.substr(equals + 1), began); !why.empty())
      return "the command succeeded, but did not write output " + output.substr(0, equals) + ": " + why;
  }
  return {};
}

ProgramEnd end_by_status(int status) {
  if (WIFSIGNALED(status)) return {128 + WTERMSIG(status), "Error", {}, WTERMSIG(status)};
  return {WEXITSTATUS(status), WEXITSTATUS(status) == 0 ? "Completed" : "Error"};
}

}  // namespace

ContainerProgram::ContainerProgram(ContainerContext& context, const ContainerPlan& plan, Callbacks callbacks)
    : context_(context),
      plan_(plan),
      callbacks_(std::move(callbacks)),
      output_(context.loop, plan.message_from_log) {}

void ContainerProgram::start(int run) {
  output_.begin(context_.folder.logs(plan_.name), run, LogLimits::of(context_.pod.log_bytes));
  launch(no_namespaces_.empty());
}

void ContainerProgram::launch(bool namespaces) {
  const ContainerOutput::Writers writers = output_.open();
  is_started_ = false;
  launched_at_ = system_clock().now();
  refusal_.clear();
  keeper_ = start_keeper({plan_, writers.out.get(), writers.err.get(), context_.folder.message(plan_.name),
                          context_.folder.path / "stage", namespaces, context_.cgroup.entrances(plan_),
                          context_.cgroup.limits_processes() ? 0 : context_.pod.max_processes});
  ::fcntl(keeper_.reports.get(), F_SETFL, O_NONBLOCK);
  context_.loop.watch(keeper_.reports.get(), EPOLLIN, [this](uint32_t) { read_reports(); });
}

void ContainerProgram::signal(int signal) const {
  if (keeper_.pid != 0) ::kill(keeper_.pid, signal);
}

/// Does not wait until the keeper has exited after its last report: no other process is left, and removing
/// its namespaces may take it a while.
void ContainerProgram::read_reports() {
  KeeperReport record;
  ssize_t got = -1;
  while (keeper_.pid != 0 && (got = ::read(keeper_.reports.get(), &record, sizeof record)) == sizeof record) {
    switch (record.kind) {
      case KeeperReport::no_namespaces: no_namespaces_ = record.text; break;
      case KeeperReport::refused: refusal_ = record.text; break;
      case KeeperReport::started:
        is_started_ = true;
        callbacks_.started();
        break;
      case KeeperReport::ended: {
        count_usage(record);
        forget_keeper();
        const ProgramEnd end = end_of(record.status);
        output_.finish();
        callbacks_.ended(end);
        break;
      }
    }
  }
  if (got == 0) context_.loop.forget(keeper_.reports.get());
}

ProgramEnd ContainerProgram::end_of(int status) {
  ProgramEnd end = end_by_status(status);
  if (end.exit_code != 0) return end;
  const std::string fault = missing_output(plan_, launched_at_);
  if (fault.empty()) return end;
  output_.say(fault);
  return {1, "Error", fault};
}

bool ContainerProgram::reaped(pid_t pid, bool may_start) {
  if (pid != keeper_.pid) return false;
  const bool had_namespaces = no_namespaces_.empty();
  read_reports();
  if (keeper_.pid == 0) return true;
  forget_keeper();
  if (had_namespaces && !no_namespaces_.empty() && may_start) {
    output_.drop();
    launch(false);
    return true;
  }
  // Orphans are killed before the end is reported, so that everything the container used is free by then.
  if (is_started_) context_.kill_orphans();
  output_.finish();
  if (!refusal_.empty())
    callbacks_.ended({kStartError, "StartError", refusal_});
  else
    callbacks_.ended({128 + SIGKILL, "Error", "the container's processes were killed", SIGKILL});
  return true;
}

void ContainerProgram::count_usage(const KeeperReport& report) {
  if (!used_) used_.emplace();
  used_->add({static_cast<double>(report.cpu_microseconds) / 1e6, report.peak_process,
              context_.cgroup.peak_memory(plan_)});
}

void ContainerProgram::forget_keeper() {
  context_.loop.forget(keeper_.reports.get());
  keeper_ = {};
}

}  // namespace kml::local
