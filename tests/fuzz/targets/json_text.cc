// JSON from users: read as YAML, it is rejected or has the value that a parser of JSON gives it.
#include "fuzz/input.h"
#include "kml/base/json.h"
#include "kml/base/yaml.h"

using namespace kml;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const Json expected = Json::parse(text, nullptr, false);
  if (!expected.is_structured()) return 0;
  fuzz::refuse_or([&] {
    const yaml::Limits limits{.bytes = 1 << 16, .nodes = 10'000, .alias_nodes = 1'000, .depth = 50};
    fuzz::require(yaml::to_json(yaml::parse_one(text, "input", limits), "input") == expected);
  });
  return 0;
}
