#pragma once

#include <cstddef>
#include <string_view>

#include "kml/base/error.h"

/// Limits on the memory that others can make kml hold: servers, pods, programs, and files. Each reader has
/// its own limit for a single answer. Here are the limits that several readers share, and the limit on their
/// sum.
namespace kml {

/// One object of the Kubernetes API, as JSON. A server stores 1.5 MiB of it by default (etcd,
/// --max-request-bytes), before escapes.
inline constexpr size_t kLargestObject = size_t{8} << 20;
/// A response that is read as a whole. Longer lists come in pages, longer files in parts.
inline constexpr size_t kLongestAnswer = size_t{128} << 20;
/// The total that this process holds.
inline constexpr size_t kMostMemory = size_t{768} << 20;

/// Error::reason if what was sent is more than a limit allows.
inline constexpr std::string_view kTooLarge = "TooLarge";

/// The error for more than a limit allows. `what` is "the response of https://…"; `why` says how much is
/// allowed.
Error too_large(std::string_view what, std::string why);

/// Called before `more` bytes of `what` are stored. Throws too_large() if kml would then hold more than
/// kMostMemory, or than `ulimit -v` allows.
void require_memory(std::string_view what, size_t more);

/// The error that a user gets for std::bad_alloc.
Error out_of_memory();

}  // namespace kml
