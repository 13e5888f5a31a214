#include "kml/base/packed_text.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "kml/base/error.h"

using namespace kml;

TEST_CASE("packed_text: a text is the same after it was packed, and small if it resembles the example") {
  const std::string example(
      R"({"kind": "Job", "metadata": {"name": "bert-1", "namespace": "default", "uid": "9c2e"}})");
  std::string other = example;
  other.replace(other.find("bert-1"), 6, "bert-2");
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += std::to_string(i * 7919);
  const std::string zeros(10, '\0');
  TextPacker packer(example);
  for (const std::string& text : {std::string(), example, other, zeros, many, example + many}) {
    const std::string packed = packer.pack(text);
    CHECK(packer.unpack(packed) == text);
    CHECK(packer.unpack(packer.pack(text)) == text);
  }
  CHECK(packer.pack(other).size() < other.size() / 4);
  CHECK_THROWS_AS(packer.unpack(packer.pack(many).substr(0, 100)), Error);
  TextPacker without("");
  CHECK(without.unpack(without.pack(example)) == example);
}
