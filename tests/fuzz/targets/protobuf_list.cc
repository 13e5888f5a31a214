// Lists of pods in protobuf: in two pieces, they give the same objects and the same fault as in one.
#include "kube/list/protobuf_list.h"

#include <string>

#include "fuzz/input.h"

using namespace kml;

namespace {

using enum kube::Field::Type;

/// At least one field of each type. Fields that a real pod has, too, have the same numbers as there.
constexpr kube::Field kCondition[] = {{1, "type", text}, {2, "status", boolean}, {3, "count", count}};
constexpr kube::Field kMetadata[] = {{1, "name", text},
                                     {8, "creationTimestamp", time},
                                     {11, "labels", text_map},
                                     {13, "ownerReferences", list, kCondition}};
constexpr kube::Field kSpec[] = {{10, "nodeName", text},
                                 {14, "args", text_list},
                                 {25, "priority", number},
                                 {32, "overhead", quantity_map}};
constexpr kube::Field kPod[] = {{1, "metadata", object, kMetadata}, {2, "spec", object, kSpec}};

std::string read(std::string_view first, std::string_view second) {
  std::string found;
  kube::ProtobufListSplitter splitter(
      [&](std::string_view item) { found += compact_text(kube::from_protobuf(item, kPod)); });
  try {
    splitter.take(first);
    splitter.take(second);
    found += splitter.is_whole() ? " whole" : " cut";
  } catch (const Error& error) {
    found += error.why;
  }
  return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  if (bytes.empty()) return 0;
  const std::string_view rest = bytes.substr(1);
  const size_t cut = rest.empty() ? 0 : static_cast<size_t>(data[0]) % rest.size();
  fuzz::require(read(rest, "") == read(rest.substr(0, cut), rest.substr(cut)));
  return 0;
}
