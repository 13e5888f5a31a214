#include "live/model/tables.h"

#include <doctest/doctest.h>

namespace tables_test {

using namespace kml;
using namespace kml::live;

namespace {

Change set(const std::string& id, const std::string& order, const Json& row,
           const std::string& cluster = "a") {
  return {.kind = Change::Kind::set, .cluster = cluster, .id = id, .order = order, .data = json_text(row)};
}

/// "cluster/id:position" of each row, in order.
std::string shown(Tables& tables, Table table = Table::jobs) {
  std::string text;
  for (const Row* row : tables.rows(table))
    text +=
        (text.empty() ? "" : " ") + row->cluster->name + "/" + row->id + ":" + std::to_string(row->position);
  return text;
}

}  // namespace

TEST_CASE("live tables: a change that is written as a line of JSON is read back unchanged") {
  const Change changes[] = {set("lab/Job/bert", "1 x", {{"name", "bert"}, {"cause", "\"quoted\"\n\x1B[31m"}}),
                            {.kind = Change::Kind::drop, .cluster = "a", .table = Table::sweeps, .id = "lr1"},
                            {.kind = Change::Kind::synced, .cluster = "a"},
                            {.kind = Change::Kind::lost, .cluster = "a", .text = "no answer"},
                            {.kind = Change::Kind::back, .cluster = "a"},
                            {.kind = Change::Kind::note, .cluster = "a", .text = "you may not list nodes"}};
  for (const Change& change : changes) {
    const std::string line = line_of(change);
    CAPTURE(line);
    CHECK(line.find('\n') == std::string::npos);
    const Change read = change_of_line(line);
    CHECK(read.kind == change.kind);
    CHECK(read.cluster == change.cluster);
    CHECK(read.table == change.table);
    CHECK(read.id == change.id);
    CHECK(read.order == change.order);
    CHECK(read.data == change.data);
    CHECK(read.text == change.text);
  }
  for (const char* wrong :
       {"", "{}", "[]", R"({"change": "set", "table": "elsewhere"})", R"({"change": "new"})"}) {
    CAPTURE(wrong);
    CHECK_THROWS(change_of_line(wrong));
  }
}

TEST_CASE("live tables: rows are sorted by cluster and order, and move when their order changes") {
  Tables tables({"b", "a"});
  for (const Change& change : {set("two", "2", {}), set("one", "1", {}), set("other", "1", {}, "b")})
    tables.apply(change, {});
  CHECK(shown(tables) == "b/other:0 a/one:0 a/two:0");
  tables.apply(set("one", "3", {}), {});
  CHECK(shown(tables) == "b/other:0 a/two:0 a/one:0");
  tables.apply({.kind = Change::Kind::drop, .cluster = "a", .id = "two"}, {});
  tables.apply({.kind = Change::Kind::drop, .cluster = "a", .id = "absent"}, {});
  tables.apply(set("x", "1", {}, "unknown"), {});
  CHECK(shown(tables) == "b/other:0 a/one:0");
}

TEST_CASE("live tables: waiting jobs are numbered within their cluster and queue") {
  Tables tables({"a", "b"});
  const Json waits = {{"group", ""}}, in_queue = {{"group", "team"}};
  tables.apply(set("runs", "0", {{"state", "Running"}}), {});
  tables.apply(set("w1", "1 1", waits), {});
  tables.apply(set("w2", "1 2", waits), {});
  tables.apply(set("q1", "1 team 1", in_queue), {});
  // Kueue's own position counts jobs that the user may not see.
  tables.apply(set("q2", "1 team 2", {{"group", "team"}, {"position", 7}}), {});
  tables.apply(set("w1", "1 1", waits, "b"), {});
  CHECK(shown(tables) == "a/runs:0 a/w1:1 a/w2:2 a/q1:1 a/q2:7 b/w1:1");
  tables.apply({.kind = Change::Kind::drop, .cluster = "a", .id = "w1"}, {});
  CHECK(shown(tables) == "a/runs:0 a/w2:1 a/q1:1 a/q2:7 b/w1:1");
}

TEST_CASE(
    "live tables: the rows of a lost cluster stay until its next feed, which drops those that no longer "
    "exist") {
  Tables tables({"a", "b"});
  const Time now = *parse_rfc3339("2026-01-01T00:00:00Z");
  tables.begin_session("a");
  for (const char* id : {"old", "kept"}) tables.apply(set(id, id, {}), now);
  tables.apply(set("other", "1", {}, "b"), now);
  tables.apply({.kind = Change::Kind::synced, .cluster = "a"}, now);
  tables.apply({.kind = Change::Kind::lost, .cluster = "a", .text = "no answer"}, now);
  CHECK(tables.clusters()[0].trouble == "no answer");
  CHECK(tables.clusters()[0].lost_since == now);
  CHECK(tables.clusters()[1].trouble.empty());
  CHECK(shown(tables) == "a/kept:0 a/old:0 b/other:0");

  tables.begin_session("a");
  tables.apply(set("kept", "kept", {}), now);
  CHECK(shown(tables) == "a/kept:0 a/old:0 b/other:0");
  const std::vector<Change> drops = tables.apply({.kind = Change::Kind::synced, .cluster = "a"}, now);
  REQUIRE(drops.size() == 1);
  CHECK(line_of(drops[0]) == R"({"change":"drop","cluster":"a","id":"old","table":"jobs"})");
  tables.apply({.kind = Change::Kind::back, .cluster = "a"}, now);
  CHECK(tables.clusters()[0].trouble.empty());
  CHECK_FALSE(tables.clusters()[0].lost_since);
  CHECK(shown(tables) == "a/kept:0 b/other:0");
}

TEST_CASE("live tables: the changes of a snapshot give a copy of the tables") {
  Tables tables({"a", "b"}), copy({"a", "b"});
  tables.apply(set("w", "1", {{"group", ""}, {"name", "w"}}), {});
  tables.apply({.kind = Change::Kind::set, .cluster = "b", .table = Table::nodes, .id = "n", .data = "{}"},
               {});
  tables.apply({.kind = Change::Kind::synced, .cluster = "a"}, {});
  tables.apply({.kind = Change::Kind::lost, .cluster = "b", .text = "gone"}, {});
  for (const Change& change : tables.snapshot()) copy.apply(change_of_line(line_of(change)), {});
  for (const Table table : kAllTables) CHECK(shown(copy, table) == shown(tables, table));
  CHECK(copy.clusters()[0].is_synced);
  CHECK(copy.clusters()[1].trouble == "gone");
  REQUIRE(copy.find(Table::jobs, "a", "w"));
  CHECK(copy.find(Table::jobs, "a", "w")->data == tables.find(Table::jobs, "a", "w")->data);
  CHECK_FALSE(copy.find(Table::jobs, "b", "w"));
}

}  // namespace tables_test
