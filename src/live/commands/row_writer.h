#pragma once

#include <array>
#include <cstdint>
#include <ostream>
#include <string>
#include <unordered_map>

#include "kml/base/json.h"
#include "live/model/tables.h"

namespace kml::cli {

/// Prints the changes of one cluster's rows, a line each. A row that is set again without a change is not
/// printed again.
class RowWriter {
 public:
  RowWriter(std::ostream& out, std::string cluster) : out_(out), cluster_(std::move(cluster)) {}

  void set(live::Table table, const std::string& id, const std::string& order, const Json& row);
  void drop(live::Table table, const std::string& id);
  /// From here to end(), all rows of the table are set again.
  void begin(live::Table table) { ++part(table).session; }
  /// Drops the rows that have not been set since begin().
  void end(live::Table table);
  /// Reports a change that is not about a row. Leaves out a note or a `lost` that has the same text as the
  /// last one, and a `back` that follows no `lost`.
  void say(live::Change::Kind kind, const std::string& text = {});
  void flush() { out_ << std::flush; }

 private:
  struct Known {
    size_t hash = 0;
    std::uint32_t session = 0;
  };
  struct Part {
    std::unordered_map<std::string, Known> rows;
    std::uint32_t session = 0;
  };
  Part& part(live::Table table) { return parts_[static_cast<size_t>(table)]; }
  void print(const live::Change& change);

  std::ostream& out_;
  const std::string cluster_;
  std::array<Part, live::kAllTables.size()> parts_;
  std::string lost_, note_;
};

}  // namespace kml::cli
