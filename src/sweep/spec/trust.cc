#include "sweep/spec/trust.h"

#include <string>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/job/preflight/preflight.h"
#include "kml/job/spec/trust.h"

namespace kml::sweep {

void require_trust(const spec::ProjectFile& file, const Json& trial) {
  const std::vector<std::string> taken = job::taken_by({&trial, 1});
  if (taken.empty()) return;
  const std::string fix = file.path.empty()
                              ? "save it as a file, review it, then run kml trust FILE"
                              : "review it, then run kml trust " + shell_quoted(std::vector{file.shown});
  if (auto error = spec::distrust(file, "its trials use " + join(taken, ", "), fix)) throw std::move(*error);
}

}  // namespace kml::sweep
