#include <doctest/doctest.h>

#include <filesystem>

#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/job/render/render.h"
#include "kml/kube/objects/field_types.h"
#include "kml/kube/objects/resource.h"

namespace golden_fields_test {

using namespace kml;
namespace fs = std::filesystem;

TEST_CASE("render: rendered manifests have only fields, and types, that the API server knows") {
  int objects = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(KML_SOURCE_DIR) / "tests/golden/render")) {
    if (entry.path().extension() != ".yaml") continue;
    INFO(entry.path().filename().string());
    for (const Json& object : render::parse_manifests(read_file(entry.path()), entry.path().string())) {
      const api::ResourceKind* kind = api::kind_of(object);
      if (!kind) continue;  // kml passes on a CronJob without reading it
      ++objects;
      const std::vector<std::string> problems = api::check_field_types(*kind, object);
      CHECK_MESSAGE(problems.empty(), join(problems, "; "));
    }
  }
  CHECK(objects > 20);
}

}  // namespace golden_fields_test
