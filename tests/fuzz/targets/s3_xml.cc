// S3 responses: the elements found by a tag are parts of the response, in order, and decoding a character
// reference never makes a text longer.
#include "net/s3/xml.h"

#include "fuzz/input.h"

using namespace kml;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view xml = fuzz::text_of(data, size);
  for (const char* tag : {"Contents", "Key", "Error", "K"}) {
    const std::vector<std::string_view> all = s3::xml_elements(xml, tag, size + 1);
    const char* end = xml.data();
    for (const std::string_view element : all) {
      fuzz::require(element.data() >= end && element.data() + element.size() <= xml.data() + xml.size());
      end = element.data() + element.size();
    }
    fuzz::require(s3::xml_elements(xml, tag, 1).size() == (all.empty() ? 0 : 1));
    fuzz::require(s3::xml_text(xml, tag).size() <= (all.empty() ? 0 : all[0].size()));
  }
  return 0;
}
