#include "pod/hang/flight_record.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "pod/hang/pickle.h"

namespace flight_record_test {

using namespace kml;
using namespace kml::pod;

namespace {

FlightRecord recorded(const std::string& name) {
  return parse_flight_record(read_file(KML_SOURCE_DIR "/tests/data/flight_recorder/" + name));
}

FlightState state_of(const std::string& name) {
  const std::vector<FlightRecord> records = {recorded(name + "-0.pickle"), recorded(name + "-1.pickle"),
                                             recorded(name + "-2.pickle")};
  return flight_state({&records[0], &records[1], &records[2]});
}

/// Operations from 1 to `last`. The last one has not ended.
std::map<long long, FlightOperation> waits_in(int last) {
  std::map<long long, FlightOperation> operations;
  for (int number = 1; number <= last; ++number)
    operations[number] = {.name = "all_reduce", .sizes = "[[4]]", .is_over = number < last};
  return operations;
}
std::map<long long, FlightOperation> has_done(int last) {
  std::map<long long, FlightOperation> operations = waits_in(last);
  operations[last].is_over = true;
  return operations;
}

}  // namespace

TEST_CASE("flight record: both forms of PyTorch's files give the same operations") {
  for (const char* form : {"behind-0.pickle", "behind-0.json"}) {
    const FlightRecord record = recorded(form);
    REQUIRE(record.groups.size() == 1);
    const auto& operations = record.groups.at("0");
    REQUIRE(operations.size() == 6);
    CHECK(operations.at(6).name == "all_reduce");
    CHECK(operations.at(6).sizes == "[[4]]");
    CHECK_FALSE(operations.at(6).is_over);
  }
}

TEST_CASE("flight state: a rank that did not call an operation is behind") {
  const FlightState state = state_of("behind");
  CHECK(state.behind == std::vector<size_t>{2});
  CHECK(state.different.empty());
  CHECK(state.operation == "all_reduce");
  CHECK(state.launched == 6);
  CHECK(state.launched_by_behind == 5);
}

TEST_CASE("flight state: a rank that called a different operation differs") {
  const FlightState state = state_of("mismatch");
  CHECK(state.different == std::vector<size_t>{1});
  CHECK(state.difference == "broadcast of [[4]]");
  CHECK(state.operation == "all_reduce of [[4]]");
  CHECK(state.launched == 6);
}

TEST_CASE("flight state: a rank with tensors of a different size differs") {
  const FlightState state = state_of("sizes");
  CHECK(state.different == std::vector<size_t>{1});
  CHECK(state.difference == "all_reduce of [[6]]");
}

TEST_CASE("flight state: a rank that waits in another process group is not blamed") {
  // Rank 1 waits for rank 2 in group b. Therefore, rank 0 waits for rank 1 in group a.
  FlightRecord first, second, third;
  first.groups = {{"a", waits_in(4)}};
  second.groups = {{"a", has_done(3)}, {"b", waits_in(4)}};
  third.groups = {{"b", has_done(3)}};
  const FlightState state = flight_state({&first, &second, &third});
  CHECK(state.behind == std::vector<size_t>{2});
}

TEST_CASE("flight state: ranks that agree have no difference") {
  FlightRecord first, second;
  first.groups = second.groups = {{"0", has_done(3)}};
  const FlightState state = flight_state({&first, &second});
  CHECK(state.behind.empty());
  CHECK(state.different.empty());
}

TEST_CASE("pickle: reads plain values, shared ones, and those of older versions of PyTorch") {
  using namespace std::string_literals;
  // {"a": ["x", "x", -2, 300, 1.5, True, None, (1, 2)]}
  const std::string bytes =
      "\x80\x02}q\0(X\1\0\0\0aq\1]("
      "X\1\0\0\0xq\2h\2J\xfe\xff\xff\xffM\x2c\1G\x3f\xf8\0\0\0\0\0\0\x88NK\1K\2\x86"
      "eu."s;
  const Pickle pickle(bytes);
  const PickleValue& list = pickle.root().at("a");
  REQUIRE(list.items.size() == 8);
  CHECK(list.items[1]->text == "x");
  CHECK(list.items[2]->integer == -2);
  CHECK(list.items[3]->integer == 300);
  CHECK(list.items[4]->real == 1.5);
  CHECK(list.items[5]->kind == PickleValue::Kind::boolean);
  CHECK(list.items[7]->items.size() == 2);
  CHECK(pickle.root().at("b").kind == PickleValue::Kind::none);

  const std::string tagged =
      "\x80\x02\x63torch.jit._pickle\nrestore_type_tag\nq\0](K\7eX\3\0\0\0intq\1\x86R."s;
  CHECK(Pickle(tagged).root().items.at(0)->integer == 7);
}

TEST_CASE("pickle: code and malformed data are rejected") {
  using namespace std::string_literals;
  for (const std::string& bytes :
       {"cos\nsystem\n(S'true'\ntR."s, "\x80\x02\x63os\nsystem\nq\0X\4\0\0\0true\x85R."s,
        "\x80\x04\x8c\2os\x8c\6system\x93."s, "K\1K\1\x85R."s, "h\0."s, "e."s, "(K\1u."s, "]K\1s."s,
        "X\xff\xff\xff\xff."s, "\x8a\xff\1."s, "."s, "("s, ""s, "K"s, "(."s})
    CHECK_THROWS_AS(Pickle{bytes}, Error);
}

TEST_CASE("pickle: a list may contain itself, and reading a flight record still ends") {
  using namespace std::string_literals;
  const std::string loop = "}q\0(X\7\0\0\0entriesq\1]q\2h\2ah\2au."s;
  CHECK(parse_flight_record(loop).groups.empty());
  const std::string sizes =
      "}(X\7\0\0\0entries](}(X\15\0\0\0process_groupX\1\0\0\0"
      "0\x85X\21\0\0\0collective_seq_idK\1X\13\0\0\0input_sizes]q\0h\0ah\0ah\0ah\0aueu."s;
  CHECK(parse_flight_record(sizes).groups.at("0").size() == 1);
  CHECK_THROWS_AS(parse_flight_record("K\1."), Error);
  CHECK_THROWS_AS(parse_flight_record("{\"entries\": ["), Error);
}

}  // namespace flight_record_test
