// YAML from users: parsed, converted to JSON, written, and parsed again with the same result.
#include "kml/base/yaml.h"
#include "fuzz/input.h"

using namespace kml;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::refuse_or([&] {
    const yaml::Limits limits{.bytes = 1 << 16, .nodes = 10'000, .alias_nodes = 1'000, .depth = 50};
    for (const yaml::Node& document : yaml::parse(fuzz::text_of(data, size), "input", limits)) {
      const Json value = yaml::to_json(document, "input");
      const std::string written = yaml::to_yaml(value);
      fuzz::require(yaml::to_json(yaml::parse_one(written, "written"), "written") == value);
    }
  });
  return 0;
}
