// A user's template: parsed, checked, and filled in with its defaults.
#include "fuzz/input.h"
#include "kml/job/render/render.h"

using namespace kml;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::refuse_or([&] {
    const render::Template parsed = render::parse_template(fuzz::text_of(data, size), "input", "input.yaml");
    fuzz::refuse_or([&] { render::check_template(parsed); });
    spec::SubmitSpec spec;
    spec.name = "fuzz";
    spec.image = "image";
    spec.command = {"python", "train.py"};
    spec.gpus = {.type = "a100", .count = 2};
    render::render(spec, parsed);
  });
  return 0;
}
