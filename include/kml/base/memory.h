#pragma once

#include <cstddef>
#include <string_view>

#include "kml/base/error.h"

/// Limits on how much memory others (servers, pods, programs, files) can make kml use. Each reader has its
/// own limit for a single response. This file has the limits that several readers share, and the limit on the
/// memory of the whole process.
namespace kml {

/// The maximum size of one object in the Kubernetes API, as JSON. By default, a server stores up to 1.5 MiB
/// (etcd, --max-request-bytes), not counting escapes.
inline constexpr size_t kLargestObject = size_t{8} << 20;
/// The maximum size of a response that is read as a whole. Longer lists come in pages, and longer files in
/// parts.
inline constexpr size_t kLongestAnswer = size_t{128} << 20;
/// The most memory that this process may use in total.
inline constexpr size_t kMostMemory = size_t{768} << 20;

/// The Error::reason for data that exceeds a limit.
inline constexpr std::string_view kTooLarge = "TooLarge";

/// The Error for data that exceeds a limit. `what` is, for example, "the response of https://…", and `why`
/// says how much is allowed.
Error too_large(std::string_view what, std::string why);

/// Call this before storing `more` bytes of `what`. Throws too_large() if kml would then hold more than
/// kMostMemory, or more than `ulimit -v` allows.
void require_memory(std::string_view what, size_t more);

/// The Error that a user sees if memory runs out (std::bad_alloc).
Error out_of_memory();

}  // namespace kml
