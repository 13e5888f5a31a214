#pragma once

#include <filesystem>
#include <optional>

#include "kml/job/first_error/first_error.h"
#include "kml/job/why/why.h"

namespace kml::jobs {

/// How many of the last lines a report of a verdict shows.
inline constexpr size_t kShownLines = 10;

/// Adds to the verdict what the first death tells: which rank died first, by which line; that a program is
/// for another processor; that it lacks a file which is in `folder`. Removes the remedies that read a log of
/// which all lines are shown, or which does not exist. `first` is empty if no pod has died.
void explain_by_log(const std::optional<FirstError>& first, const std::filesystem::path& folder,
                    Verdict& verdict);

}  // namespace kml::jobs
