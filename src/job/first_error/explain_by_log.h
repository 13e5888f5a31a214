#pragma once

#include <filesystem>
#include <optional>

#include "kml/job/first_error/first_error.h"
#include "kml/job/why/why.h"

namespace kml::job {

/// How many of a log's last lines are shown with a verdict.
inline constexpr size_t kShownLines = 10;

/// Adds facts about the first death to the verdict, such as the rank that died first and the line that shows
/// it, a program built for another processor, or a missing file that exists in `folder`. Removes remedies
/// that read a log, if all lines of that log are shown or the log does not exist. `first` is empty if no pod
/// has died.
void explain_by_log(const std::optional<FirstError>& first, const std::filesystem::path& folder,
                    Verdict& verdict);

}  // namespace kml::job
