#include "local/shim/program_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "kml/kube/objects/container.h"

namespace kml::local {

namespace {

// MaxContainerTerminationMessageLength of k8s.io/kubernetes/pkg/kubelet/container.
constexpr off_t kLongestMessage = 4096;

/// The last bytes of the file; empty if there are none.
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

ProgramRun::ProgramRun(const ContainerContext& context, const ContainerPlan& plan)
    : plan_(plan), message_file_(context.folder.message(plan.name)), started_at_(system_clock().now()) {
  if (!plan.message_path.empty()) {
    // Programs that give up root must be able to write to the file, too.
    const Fd file = open_pod_file(message_file_, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file) ::fchmod(file.get(), 0666);
  }
  if (std::string counts = context.cgroup.memory_statistics(plan); !counts.empty())
    limit_kills_.emplace(counts);
}

bool ProgramRun::is_over_limit() const {
  return !is_killed_ && limit_kills_ && limit_kills_->killed() > 0;
}

void ProgramRun::end(ProgramEnd end, const std::string& id, const std::string& output) {
  const Time now = system_clock().now();
  exit_code_ = end.exit_code;
  if (end.exit_code != 0 && is_over_limit()) {
    end.reason = "OOMKilled";
    end.message = fmt::format("the container reached its memory limit of {} bytes", plan_.memory_limit);
  }
  if (has_fault()) end.message = fault_;
  terminated_ = {{"exitCode", end.exit_code},
                 {"reason", end.reason},
                 {"startedAt", rfc3339(started_at_)},
                 {"finishedAt", rfc3339(now)},
                 {"containerID", id}};
  set_said(terminated_, {{"signal", end.signal > 0 ? Json(end.signal) : Json()},
                         {"message", end.message.empty() ? message_of(end, output) : end.message}});
}

/// The message that explains the program's end: that the machine lacked memory, otherwise the program's
/// termination message. If the program failed without either, the end of its output (if the policy allows).
std::string ProgramRun::message_of(const ProgramEnd& end, const std::string& output) const {
  std::string message;
  if (end.exit_code == 128 + SIGKILL && !is_killed_) message = memory_kills_.explanation();
  if (message.empty() && !plan_.message_path.empty()) message = end_of(message_file_);
  return message.empty() && end.exit_code != 0 ? output : message;
}

}  // namespace kml::local
