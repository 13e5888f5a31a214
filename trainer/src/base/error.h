#pragma once

#include <stdexcept>
#include <string>

namespace trainer {

/// The exit status of a rank that ended only because another rank ended. It has not failed itself, and must
/// be started again together with all others. Kubeflow's ExitCode policy reserves 138 (128 + SIGUSR1) for
/// programs.
constexpr int kStartAgain = 138;

/// A failure that the user can understand: what happened, why, and how to fix it. `why` and `fix` may be
/// empty. main() prints it and exits with `exit_code`: 2 for wrong usage; 128 or more if a new start may
/// help, because Kubernetes' ExitCode policy then restarts the pod; otherwise 1.
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
