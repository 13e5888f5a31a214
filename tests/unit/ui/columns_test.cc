#include "kml/ui/columns.h"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

namespace columns_test {

using namespace kml;
using namespace kml::ui;

namespace {

struct Pod {
  std::string name, node;
  int restarts = 0;
};

const std::vector<Pod> kPods = {{"a", "", 0}, {"b", "", 3}};

std::string printed(const std::vector<Column<Pod>>& columns) {
  std::ostringstream out, err;
  table_of(columns, kPods).print({out, err});
  return out.str();
}

std::string restarts(const Pod& pod) {
  return std::to_string(pod.restarts);
}

}  // namespace

TEST_CASE("columns: a column shows a member of its value, or a text or a cell made from it") {
  const auto marked = [](const Pod& pod) -> Cell { return {pod.name + "!", Style::bold}; };
  CHECK(printed({{"POD", &Pod::name}, {"RESTARTS", restarts}, {"MARK", marked}}) ==
        "POD  RESTARTS  MARK\na    0         a!\nb    3         b!\n");
}

TEST_CASE("columns: a hidden column has neither a header nor cells") {
  CHECK(printed({{"POD", &Pod::name}, {"NODE", &Pod::node, false}, {"RESTARTS", restarts}}) ==
        "POD  RESTARTS\na    0\nb    3\n");
}

TEST_CASE("columns: a column in which all cells are empty can be left out") {
  CHECK(printed(without_empty<Pod>({{"POD", &Pod::name}, {"NODE", &Pod::node}}, kPods)) == "POD\na\nb\n");
}

}  // namespace columns_test
