#pragma once

#include <string>

#include "job/packages/requested.h"
#include "job/packages/uv.h"

namespace kml::packages {

/// The versions and hashes in the request's uv lock, as a requirements file. Its first lines are notes for
/// the user, see notes_in(). Runs no build backend. Throws usage Error if the lock is out of date, like
/// `uv run --locked`.
std::string locked_by_uv(const Uv& uv, const Requested& requested);

/// The notes for the user in a lock that locked_by_uv() made.
std::vector<std::string> notes_in(const std::string& lock);

}  // namespace kml::packages
