#include "kml/base/archive.h"

#include <doctest/doctest.h>

#include "kml/base/error.h"

namespace kml::gzip_test {

TEST_CASE("gzip: compressed data are decompressed, in pieces of any size") {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + "\n";
  const std::string packed = gzipped(text);
  CHECK(packed.size() < text.size() / 2);
  CHECK(gunzipped(packed, text.size()) == text);
  Gzip gzip;
  for (size_t at = 0; at < text.size(); at += 777) gzip.add(std::string_view(text).substr(at, 777));
  CHECK(gunzipped(gzip.finish(), text.size()) == text);
  CHECK(gunzipped(gzipped(""), 0).empty());
}

TEST_CASE("gzip: truncated, damaged or too large data are rejected") {
  const std::string packed = gzipped(std::string(1000, 'x'));
  CHECK_THROWS_AS(gunzipped(packed, 999), Error);
  for (size_t size = 0; size < packed.size(); ++size)
    CHECK_THROWS_AS(gunzipped(packed.substr(0, size), 1000), Error);
  CHECK_THROWS_AS(gunzipped("no gzip at all", 1000), Error);
}

}  // namespace kml::gzip_test
