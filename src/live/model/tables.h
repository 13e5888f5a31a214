#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"

namespace kml::live {

/// The queue has no table: it consists of the rows of `jobs` whose member `active` is true.
enum class Table { jobs, nodes, runs, sweeps, pipelines, serves, schedules };
inline constexpr std::array kAllTables = {Table::jobs,      Table::nodes,  Table::runs,     Table::sweeps,
                                          Table::pipelines, Table::serves, Table::schedules};

std::string_view name_of(Table table);
std::optional<Table> table_of_name(std::string_view name);

/// A message of a feed about its cluster. Each message is one line of JSON.
struct Change {
  enum class Kind {
    set,     ///< a row is new or has changed
    drop,    ///< a row no longer exists
    synced,  ///< all rows that exist have been set
    lost,    ///< the cluster cannot be read; its rows stay as they were
    back,    ///< the cluster can be read again
    note,    ///< something that the user should know, such as "you may not list nodes"
  };
  Kind kind = Kind::set;
  std::string cluster;  ///< the context's name
  // only for set and drop
  Table table = Table::jobs;
  std::string id = {};     ///< identifies the row in its table and cluster: "lab/Job/bert"
  std::string order = {};  ///< rows are shown in the order of these texts, compared as bytes
  std::string data = {};   ///< the row, a JSON object as text on one line
  std::string text = {};   ///< for lost: why; for note: the note
};

/// The change as one line without a newline: {"change": "set", "cluster": "prod", "table": "jobs", "id": …,
/// "order": …, "row": {…}}, {"change": "drop", "cluster", "table", "id"}, {"change": "lost"|"note",
/// "cluster", "text"} or {"change": "synced"|"back", "cluster"}.
std::string line_of(const Change& change);
/// Throws Error if the line is not a change.
Change change_of_line(std::string_view line);

struct Cluster {
  std::string name;  ///< the context's name
  size_t place = 0;  ///< the position among all clusters, in the order in which the user named them
  /// the namespace of a command if the user names none
  std::string namespace_name = {};
  bool is_synced = false;    ///< whether the cluster's rows have arrived
  std::string trouble = {};  ///< why the cluster cannot be read now; otherwise empty
  std::optional<Time> lost_since = {};
  std::string note = {};  ///< the last note
  Time noted = {};        ///< when the last note arrived
};

struct Row {
  const Cluster* cluster = nullptr;
  std::string id, order, data;  ///< as in Change
  /// For a waiting job, its place in its queue, starting from 1; otherwise 0.
  int position = 0;
  std::uint32_t session = 0;  ///< the session in which the feed last set the row
  // Members of the data that every key press needs for every row. They are copied here, because searching
  // 10,000 texts takes long.
  bool is_active = false;           ///< of a job: whether the queue shows it
  std::string namespace_name = {};  ///< empty for a node
};

/// The rows of all clusters. A row is kept as text, because 10,000 parsed rows would take 30 MB.
class Tables {
 public:
  explicit Tables(const std::vector<std::string>& clusters);
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;

  /// Ignores changes of unknown clusters. If the change is `synced`, drops the rows that the feed has not set
  /// since begin_session(), and returns these drops.
  std::vector<Change> apply(const Change& change, Time now);
  void set_namespace(const std::string& cluster, const std::string& namespace_name);
  /// A new feed of the cluster will set all its rows again.
  void begin_session(const std::string& cluster);

  /// Sorted by cluster, then by Row::order. Valid until the next change.
  const std::vector<const Row*>& rows(Table table);
  const Row* find(Table table, std::string_view cluster, std::string_view id) const;
  const std::vector<Cluster>& clusters() const { return clusters_; }
  /// Changes that set all rows and the state of the clusters, for a reader that starts now.
  std::vector<Change> snapshot() const;
  /// Grows with each change of a row of the table.
  std::uint64_t version(Table table) const { return part(table).version; }

 private:
  struct Before {
    bool operator()(const Row* a, const Row* b) const;
  };
  struct Part {
    /// By cluster, then by Row::id. The keys are views of the rows' own ids.
    std::vector<std::unordered_map<std::string_view, std::unique_ptr<Row>>> rows;
    std::set<const Row*, Before> sorted;
    std::vector<const Row*> shown;  ///< of `shown_version`
    std::uint64_t version = 1, shown_version = 0;
  };

  Part& part(Table table) { return parts_[static_cast<size_t>(table)]; }
  const Part& part(Table table) const { return parts_[static_cast<size_t>(table)]; }
  Cluster* find_cluster(std::string_view name);
  void set(const Cluster& cluster, const Change& change);
  void drop(const Cluster& cluster, Table table, const std::string& id);
  std::vector<Change> drop_old(const Cluster& cluster);

  std::vector<Cluster> clusters_;
  std::vector<std::uint32_t> sessions_;  ///< the current session of each cluster's feed
  std::array<Part, kAllTables.size()> parts_;
};

}  // namespace kml::live
