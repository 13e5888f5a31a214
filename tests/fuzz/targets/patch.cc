// Patches from clients of the embedded server. The input is a byte that selects the type of
// the patch, the object, a newline, and the patch.
#include "fuzz/input.h"
#include "local/routes/routes.h"

using namespace kml;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  static constexpr std::string_view kTypes[] = {"application/merge-patch+json", "application/json-patch+json",
                                                "application/strategic-merge-patch+json"};
  std::string_view input = fuzz::text_of(data + 1, size - 1);
  Json object = Json::parse(fuzz::take_until(input, '\n'), nullptr, false);
  if (!object.is_object()) return 0;
  fuzz::refuse_or(
      [&] { local::patched(*api::find_kind("v1", "Pod"), std::move(object), kTypes[data[0] % 3], input); });
  return 0;
}
