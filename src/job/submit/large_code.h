#pragma once

#include <string>
#include <vector>

#include "kml/base/error.h"
#include "kml/job/submit/code.h"

namespace kml::job {

/// The usage Error with the message `what` for code that is too large. It names the largest of the files.
Error too_large_code(std::string what, std::vector<CodeFile> files);

}  // namespace kml::job
