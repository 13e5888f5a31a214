#pragma once

#include <string>

#include "job/packages/requested.h"
#include "kml/base/error.h"

namespace kml::packages {

/// Whether uv's reason is that it cannot read a requirement.
bool is_about_syntax(const std::string& reason);

/// Whether uv's reason is about the project as a whole, not about one of its packages.
bool is_about_the_project(const std::string& reason);

/// Whether uv's reason is that a package has no wheel that can be used.
bool is_about_wheels(const std::string& reason);

/// Whether the reason, of uv or py-rattler, is that a server could not be reached, or did not send a file.
bool is_about_network(const std::string& reason);

/// The host of the first URL in such a reason; empty if it has none.
std::string host_in_reason(const std::string& reason);

/// The fix for such a reason.
std::string fix_for_network(const std::string& reason);

/// The fix for uv's reason why it cannot install packages for an image with this Python and processor; empty
/// if the reason speaks for itself.
std::string fix_for_install(const std::string& reason, const std::string& python,
                            const std::string& processor);

/// The Error for uv's reason, see reason_in(), with a fix unless the reason speaks for itself.
Error resolve_error(const std::string& reason, const Requested& requested);

}  // namespace kml::packages
