#include "jobs/first_error/end_kind.h"

#include <signal.h>

#include <algorithm>
#include <array>

#include "kml/core/colours.h"
#include "kml/core/text.h"

namespace kml::jobs {

namespace {

/// What NCCL, Gloo, PyTorch's store, MPI and sockets say of a rank that is gone.
constexpr std::array<std::string_view, 17> kPeerLost = {"ncclRemoteError",
                                                        "remote process exited",
                                                        "remote process has terminated",
                                                        "onnection closed by peer",
                                                        "onnection reset by peer",
                                                        "ConnectionResetError",
                                                        "BrokenPipeError",
                                                        "Broken pipe",
                                                        "DistBackendError",
                                                        "DistNetworkError",
                                                        "DistStoreError",
                                                        "NCCL communicator was aborted",
                                                        "Watchdog caught collective",
                                                        "watchdog thread terminated",
                                                        "failed to recv, got 0 bytes",
                                                        "recvValue failed",
                                                        "lost rank"};

constexpr std::array<std::string_view, 10> kOwnError = {
    "Segmentation fault", "terminate called", "Fatal Python error",
    "CUDA error",         "out of memory",    "Assertion `",
    "panicked at",        "panic:",           "FATAL",
    "Bus error"};

template <size_t N>
bool has_any(std::string_view line, const std::array<std::string_view, N>& words) {
  return std::any_of(words.begin(), words.end(),
                     [line](std::string_view word) { return line.find(word) != std::string_view::npos; });
}

/// "ValueError: no such batch", "torch.cuda.OutOfMemoryError", as a Python traceback ends.
bool begins_with_exception(std::string_view line) {
  const size_t end =
      line.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
  if (end != std::string_view::npos && line[end] != ':') return false;
  const std::string_view name = line.substr(0, end);
  return name.ends_with("Error") || name.ends_with("Exception") || name.ends_with("Interrupt");
}

}  // namespace

EndKind kind_of(const ContainerExit& exit, bool disrupted) {
  if (exit.out_of_memory) return EndKind::own_error;
  if (disrupted) return EndKind::killed;
  switch (exit.signal) {
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE: return EndKind::own_error;
    case SIGKILL: return EndKind::killed;
    case SIGTERM:
    case SIGINT: return EndKind::stopped;
    default: return EndKind::unexplained;
  }
}

std::optional<EndKind> kind_told_by(std::string_view text) {
  const std::string plain = without_colours(text);
  const std::string_view line = trim(plain);
  if (has_any(line, kPeerLost)) return EndKind::peer_lost;
  if (begins_with_exception(line) || has_any(line, kOwnError)) return EndKind::own_error;
  return {};
}

}  // namespace kml::jobs
