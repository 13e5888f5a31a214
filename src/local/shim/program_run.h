#pragma once

#include <optional>
#include <string>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "local/shim/container_context.h"
#include "local/shim/container_program.h"

namespace kml::local {

/// One run of a container's program: when it started, what explains its end, and how the container's status
/// shows both.
class ProgramRun {
 public:
  /// Create this before the program starts.
  ProgramRun(const ContainerContext& context, const ContainerPlan& plan);

  Time started_at() const { return started_at_; }
  /// Call this when the pod ends and all processes are killed, so that a SIGKILL needs no explanation.
  void kill() { is_killed_ = true; }
  /// Call this when the program is ended because the container itself is at fault.
  void end_because(const std::string& why) { fault_ = why; }
  bool has_fault() const { return !fault_.empty(); }

  /// `id` is the containerID, and `output` is the end of the program's output.
  void end(ProgramEnd end, const std::string& id, const std::string& output);
  /// v1.ContainerStateTerminated; null while the program is running.
  const Json& terminated() const { return terminated_; }
  int exit_code() const { return exit_code_; }

 private:
  bool is_over_limit() const;
  std::string message_of(const ProgramEnd& end, const std::string& output) const;

  const ContainerPlan& plan_;
  const std::filesystem::path message_file_;
  const Time started_at_;
  MemoryKills memory_kills_;  ///< counts the kills on the whole machine
  /// if the container has a memory limit: counts the kills because of this limit
  std::optional<MemoryKills> limit_kills_;
  std::string fault_;
  bool is_killed_ = false;
  int exit_code_ = 0;
  Json terminated_;
};

}  // namespace kml::local
