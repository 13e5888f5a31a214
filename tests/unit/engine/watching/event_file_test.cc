#include "engine/watching/event_file.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "engine/watching/metric_reader.h"
#include "kml/base/text.h"

namespace event_file_test {

using namespace kml;
using namespace kml::engine;

namespace {

/// Written by tensorboardX 2.6.5:
///
///     w = SummaryWriter(folder)
///     for step in range(3):
///         w.add_scalar("accuracy", 0.5 + step / 8, step)
///         tensor = TensorProto(dtype="DT_FLOAT", float_val=[1 / (1 << step)])
///         w.file_writer.add_summary(Summary(value=[Summary.Value(tag="loss", tensor=tensor)]), step)
///     w.close()
constexpr std::string_view kFile = R"(
GAAAAAAAAACjf0siCeGwA4nwwdpBGg1icmFpbi5FdmVudDoyyS2kZRwAAAAAAAAAyMGVHQnJVQSJ8MHaQSoRCg8KCGFjY3VyYWN5
FQAAAD9hEJ8OHQAAAAAAAABgL98jCZ5ZBInwwdpBKhIKEAoEbG9zc0IICAEqBAAAgD9Cxx4UHgAAAAAAAADZ3BIyCVhaBInwwdpB
EAEqEQoPCghhY2N1cmFjeRUAACA/1gjxHh8AAAAAAAAAUUtEGAmQWgSJ8MHaQRABKhIKEAoEbG9zc0IICAEqBAAAAD9Lrpu3HgAA
AAAAAADZ3BIyCdNaBInwwdpBEAIqEQoPCghhY2N1cmFjeRUAAEA/xWOdih8AAAAAAAAAUUtEGAkAWwSJ8MHaQRACKhIKEAoEbG9z
c0IICAEqBAAAgD4GSmGw)";

std::string recorded() {
  return *base64_decoded(kFile);
}

std::string in_words(const std::vector<EventScalar>& scalars) {
  std::string words;
  for (const EventScalar& scalar : scalars)
    words += scalar.tag + "@" + std::to_string(static_cast<int>(scalar.step)) + "=" +
             std::to_string(scalar.value).substr(0, 5) + " ";
  return words;
}

constexpr const char* kAll =
    "accuracy@0=0.500 loss@0=1.000 accuracy@1=0.625 loss@1=0.500 accuracy@2=0.750 loss@2=0.250 ";

}  // namespace

TEST_CASE("event_file: CRC-32C agrees with RFC 3720") {
  CHECK(crc32c("123456789") == 0xE3069283);
  CHECK(crc32c(std::string(32, '\0')) == 0x8A9136AA);
  CHECK(crc32c(std::string(32, '\xFF')) == 0x62A8AB43);
}

TEST_CASE("event_file: scalars of both forms are read, in pieces of any size") {
  for (const size_t size : {size_t{1}, size_t{7}, size_t{57}, size_t{10'000}}) {
    EventFile file;
    std::string words;
    const std::string bytes = recorded();
    for (size_t at = 0; at < bytes.size(); at += size) words += in_words(file.add(bytes.substr(at, size)));
    CHECK(words == kAll);
  }
}

TEST_CASE("event_file: nothing is read after a damaged record") {
  for (size_t at = 0; at < recorded().size(); ++at) {
    std::string bytes = recorded();
    bytes[at] = static_cast<char>(bytes[at] ^ 4);
    EventFile file;
    const std::string words = in_words(file.add(bytes));
    CHECK(words != kAll);
    CHECK(std::string_view(kAll).starts_with(words));
    CHECK(file.add(recorded()).empty());
  }
}

TEST_CASE("event_file: metrics are named by their tag, or by folder and tag") {
  MetricReader reader("step", {}, {"test/accuracy", "loss"}, true);
  const std::string bytes = recorded();
  std::string words;
  const auto read = [&](const std::string& line) {
    for (const ReportedMetric& metric : reader.read(line))
      words += metric.name + "@" + std::to_string(static_cast<int>(metric.step)) + "=" +
               std::to_string(metric.value).substr(0, 5) + " ";
  };
  const auto part = [&](size_t begin, size_t size, const char* file) {
    return "kml-events " + base64_encoded(bytes.substr(begin, size)) + " " + file;
  };
  read("accuracy=0.9 loss=7");
  read(part(0, 60, "/logs/test/a b.tfevents"));
  read("text without an end: " + part(0, 1000, "/logs/train/c.tfevents"));
  CHECK(words == kAll);
  words.clear();
  read(part(60, 1000, "/logs/test/a b.tfevents"));
  CHECK(words ==
        "test/accuracy@0=0.500 loss@0=1.000 test/accuracy@1=0.625 loss@1=0.500 test/accuracy@2=0.750 "
        "loss@2=0.250 ");
  read("kml-events ??? /logs/x");
  read("kml-events ");
}

}  // namespace event_file_test
