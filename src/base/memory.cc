#include "kml/base/memory.h"

#include <sys/resource.h>

#include <string>
#include <utility>

#include "kml/base/system_calls.h"
#include "kml/base/text.h"

namespace kml {

namespace {

/// Sanitizers need several times the memory, and reserve most of the address space.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kIsMeasured = false;
#else
constexpr bool kIsMeasured = true;
#endif

/// How much of the address space allowed by `ulimit -v` is left free for other memory.
constexpr size_t kSpareSpace = size_t{32} << 20;

/// 0 without a limit.
size_t allowed_space() {
  rlimit space{};
  return ::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY ? space.rlim_cur : 0;
}

}  // namespace

Error too_large(std::string_view what, std::string why) {
  Error error(ErrorCode::failure, std::string(what) + " is too large", std::move(why),
              "request less, for example with --namespace or a selector; if the response should be short, "
              "find out which server sends it");
  error.reason = kTooLarge;
  return error;
}

void require_memory(std::string_view what, size_t more) {
  if (!kIsMeasured) return;
  const MemoryUse use = memory_use();
  if (use.resident + more > kMostMemory)
    throw too_large(what, "kml would need more than " + size_text(kMostMemory) + " of memory");
  if (const size_t allowed = allowed_space(); allowed > 0 && use.space + more + kSpareSpace > allowed)
    throw too_large(what, "kml may use only " + size_text(allowed) + " of memory here (ulimit -v)");
}

Error out_of_memory() {
  const size_t allowed = allowed_space();
  return {ErrorCode::failure, "out of memory",
          "kml uses " + size_text(memory_use().resident) + " of memory, and the system gives it no more" +
              (allowed > 0 ? "; `ulimit -v` allows " + size_text(allowed) : ""),
          "request less data at once, or let kml use more memory"};
}

}  // namespace kml
