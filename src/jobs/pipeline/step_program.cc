#include "jobs/pipeline/step_program.h"

#include "kml/core/archive.h"
#include "kml/core/error.h"
#include "kml/core/tar.h"

namespace kml::jobs {

const std::string& step_program() {
  static const std::string program = [] {
    constexpr size_t kMost = size_t{16} << 20;
    const std::string archive = gunzipped(packed_step_program(), kMost);
    TarReader reader(archive);
    TarEntry entry;
    if (!reader.next(entry))
      throw Error(ErrorCode::failure, "this kml does not contain kml-step", "it was built wrongly");
    return std::string(entry.content);
  }();
  return program;
}

}  // namespace kml::jobs
