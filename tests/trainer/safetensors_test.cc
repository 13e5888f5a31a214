#include "checkpoint/safetensors.h"

#include <doctest/doctest.h>

using namespace trainer;

namespace {

const Real kValues[] = {1, 2, 3, 4, 5, 6};

std::string example() {
  const TensorView tensors[] = {{"b", {2, 2}, std::span(kValues, 4)}, {"a", {2}, std::span(kValues + 4, 2)}};
  return serialize({{"step", "7"}}, tensors);
}

TensorFile parse(const std::string& bytes) {
  return parse_tensors(std::span(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
}

}  // namespace

TEST_CASE("safetensors: a written file is read back") {
  const TensorFile file = parse(example());
  CHECK(file.metadata.at("step") == "7");
  CHECK(file.tensors.at("b").shape == std::vector<size_t>{2, 2});
  CHECK(file.tensors.at("b").values[3] == 4);
  CHECK(file.tensors.at("a").values[1] == 6);
}

TEST_CASE("safetensors: data start at a multiple of eight, as the format requires") {
  const std::string bytes = example();
  CHECK((static_cast<uint8_t>(bytes[0]) + 256 * static_cast<uint8_t>(bytes[1])) % 8 == 0);
}

TEST_CASE("safetensors: every flipped bit and every truncation is noticed") {
  const std::string good = example();
  for (size_t at = 0; at < good.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ 1 << bit);
      CHECK_THROWS_AS(parse(bad), DamagedFile);
    }
    CHECK_THROWS_AS(parse(good.substr(0, at)), DamagedFile);
  }
}
