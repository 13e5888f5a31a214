#pragma once

#include <stdexcept>
#include <string>

namespace trainer {

/// The exit status of a rank that only another one's end has ended: to be started again, with all others, and
/// no failure of its own. Kubeflow's ExitCode policy leaves 138 (128 + SIGUSR1) to programs for that.
constexpr int kStartAgain = 138;

/// A failure that the user can understand: what happened, why, and what to do about it.
/// `why` and `fix` may be empty. Printed by main(), which exits with `exit_code`: 2 for wrong usage, else 1,
/// or from 128 on where a new start may help, as Kubernetes' ExitCode policy then gives one.
class Error : public std::runtime_error {
 public:
  Error(const std::string& what, std::string why, std::string fix = "", int exit_code = 1)
      : std::runtime_error(what), why_(std::move(why)), fix_(std::move(fix)), exit_code_(exit_code) {}

  const std::string& why() const { return why_; }
  const std::string& fix() const { return fix_; }
  int exit_code() const { return exit_code_; }

 private:
  std::string why_;
  std::string fix_;
  int exit_code_;
};

/// The text of an errno value, e.g. "No space left on device (ENOSPC)".
std::string errno_text(int error_number);

}  // namespace trainer
