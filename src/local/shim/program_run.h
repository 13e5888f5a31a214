#pragma once

#include <optional>
#include <string>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "local/shim/container_context.h"
#include "local/shim/container_program.h"

namespace kml::local {

/// One run of a container's program: when it began, what explains its end, and how the status tells both.
class ProgramRun {
 public:
  /// Call it before the program starts.
  ProgramRun(const ContainerContext& context, const ContainerPlan& plan);

  Time started_at() const { return started_at_; }
  /// The pod ends, and all processes are killed: a SIGKILL needs no explanation.
  void kill() { is_killed_ = true; }
  /// The program is ended because of the container's own fault.
  void end_because(const std::string& why) { fault_ = why; }
  bool has_fault() const { return !fault_.empty(); }

  /// `id` is the containerID; `output`, the end of what the program printed.
  void end(ProgramEnd end, const std::string& id, const std::string& output);
  /// v1.ContainerStateTerminated; null until the end.
  const Json& terminated() const { return terminated_; }
  int exit_code() const { return exit_code_; }

 private:
  bool is_over_limit() const;
  std::string message_of(const ProgramEnd& end, const std::string& output) const;

  const ContainerPlan& plan_;
  const std::filesystem::path message_file_;
  const Time started_at_;
  MemoryKills memory_kills_;                ///< on the whole machine
  std::optional<MemoryKills> limit_kills_;  ///< at the container's memory limit, if it has one
  std::string fault_;
  bool is_killed_ = false;
  int exit_code_ = 0;
  Json terminated_;
};

}  // namespace kml::local
