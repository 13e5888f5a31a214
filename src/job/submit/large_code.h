#pragma once

#include <string>
#include <vector>

#include "kml/base/error.h"
#include "kml/job/submit/code.h"

namespace kml::job {

/// The usage Error `what` about code that is too large, with the largest of the files.
Error too_large_code(std::string what, std::vector<CodeFile> files);

}  // namespace kml::job
