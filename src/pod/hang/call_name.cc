#include <array>
#include <span>
#include <utility>

#include "kml/base/text.h"
#include "pod/hang/probe.h"

namespace kml::pod {

namespace {

using Numbered = std::pair<int, std::string_view>;

// Only lists system calls in which a program may wait. From Linux's arch/x86/entry/syscalls/syscall_64.tbl.
constexpr Numbered kX86[] = {
    {0, "read"},
    {1, "write"},
    {2, "open"},
    {7, "poll"},
    {17, "pread64"},
    {18, "pwrite64"},
    {19, "readv"},
    {20, "writev"},
    {23, "select"},
    {34, "pause"},
    {35, "nanosleep"},
    {42, "connect"},
    {43, "accept"},
    {44, "sendto"},
    {45, "recvfrom"},
    {46, "sendmsg"},
    {47, "recvmsg"},
    {61, "wait4"},
    {73, "flock"},
    {74, "fsync"},
    {75, "fdatasync"},
    {202, "futex"},
    {230, "clock_nanosleep"},
    {232, "epoll_wait"},
    {247, "waitid"},
    {257, "openat"},
    {270, "pselect6"},
    {271, "ppoll"},
    {281, "epoll_pwait"},
    {288, "accept4"},
    {299, "recvmmsg"},
};
// Linux: include/uapi/asm-generic/unistd.h.
constexpr Numbered kArm[] = {
    {22, "epoll_pwait"},
    {32, "flock"},
    {56, "openat"},
    {63, "read"},
    {64, "write"},
    {65, "readv"},
    {66, "writev"},
    {67, "pread64"},
    {68, "pwrite64"},
    {72, "pselect6"},
    {73, "ppoll"},
    {82, "fsync"},
    {83, "fdatasync"},
    {95, "waitid"},
    {98, "futex"},
    {101, "nanosleep"},
    {115, "clock_nanosleep"},
    {202, "accept"},
    {203, "connect"},
    {206, "sendto"},
    {207, "recvfrom"},
    {211, "sendmsg"},
    {212, "recvmsg"},
    {242, "accept4"},
    {243, "recvmmsg"},
    {260, "wait4"},
};

}  // namespace

std::string call_name(std::string_view architecture, std::string_view number) {
  const std::optional<int> wanted = number.empty() ? std::nullopt : whole_number(number);
  if (!wanted) return {};
  const auto table = architecture == "x86_64"    ? std::span<const Numbered>(kX86)
                     : architecture == "aarch64" ? std::span<const Numbered>(kArm)
                                                 : std::span<const Numbered>();
  for (const auto& [known, name] : table)
    if (known == *wanted) return std::string(name);
  return {};
}

}  // namespace kml::pod
