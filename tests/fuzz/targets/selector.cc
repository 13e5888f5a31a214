// Parsers of small languages: selectors, quantities, paths.
#include "kml/kube/objects/selector.h"
#include "fuzz/input.h"
#include "job/spec/json_path.h"
#include "kml/kube/objects/quantity.h"

using namespace kml;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const Json labels = {{"a", "b"}, {"c", "d"}};
  fuzz::refuse_or([&] { api::LabelSelector::parse(text).matches(labels); });
  fuzz::refuse_or([&] { api::FieldSelector::parse(text).matches({{"metadata", {{"name", "a"}}}}); });
  const auto units = api::quantity_units(text), thousandths = api::quantity_milli(text);
  fuzz::require(units.has_value() == thousandths.has_value());
  if (const auto path = spec::parse_path(text)) {
    Json root = {{"a", Json::array({1, {{"b", 2}}})}};
    if (spec::set(root, *path, "value").empty() && !path->empty()) {
      fuzz::require(spec::find(root, *path) != nullptr);
      spec::remove(root, *path);
    }
  }
  return 0;
}
