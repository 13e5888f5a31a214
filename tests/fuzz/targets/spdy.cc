// SPDY frames of a port-forward: in two pieces, they give the same frames and the same fault as in one.
#include "kml/net/http/spdy.h"

#include <string>

#include "fuzz/input.h"
#include "kml/base/error.h"

using namespace kml;
using namespace kml::http::spdy;

namespace {

std::string read(std::string_view first, std::string_view second) {
  Reader reader;
  std::string found;
  const auto add = [&](const Frame& frame) {
    found += std::to_string(static_cast<int>(frame.kind)) + " " + std::to_string(frame.stream);
    found += frame.is_last ? " last " : " ";
    found += frame.payload;
    for (const auto& [name, value] : frame.headers) found += "\n" + name + ": " + value;
  };
  try {
    reader.feed(first, add);
    reader.feed(second, add);
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
