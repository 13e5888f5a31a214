#include "job/logs/log_pace.h"

#include <algorithm>

namespace kml::job {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongestPause{8000};
/// The pause for a log that cannot be followed, because too many logs on its node are already followed.
constexpr milliseconds kPollPause{5000};
constexpr milliseconds kAfterFailure{500}, kLongestAfterFailure{30'000};

}  // namespace

milliseconds LogPace::after_end(bool followed) {
  return followed ? std::min(kFirst * (1 << std::min(quiet_ends_++, 3)), kLongestPause) : kPollPause;
}

milliseconds LogPace::after_failure() const {
  return std::min(kAfterFailure * (1 << std::min(failures_, 6)), kLongestAfterFailure);
}

}  // namespace kml::job
