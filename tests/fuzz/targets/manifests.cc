// Manifests for -f, with all overlays applied to them.
#include "fuzz/input.h"
#include "kml/job/render/render.h"

using namespace kml;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::refuse_or([&] {
    std::vector<Json> manifests = render::parse_manifests(fuzz::text_of(data, size), "input");
    spec::SubmitSpec spec;
    spec.name = "fuzz";
    spec.image = "image";
    spec.gpus = {.type = "a100", .count = 2};
    spec.nodes = 2;
    spec.env = {{"NAME", "value"}};
    spec.mounts = {{.source = "data", .path = "/data"}};
    spec.shm = "1Gi";
    spec.grace = std::chrono::seconds(30);
    render::render(spec, std::move(manifests));
  });
  return 0;
}
