#include "local/store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>

#include "kml/base/error.h"
#include "kml/base/reserve.h"
#include "kml/base/sqlite.h"
#include "kml/base/text.h"
#include "kml/kube/objects/object.h"
#include "local/loop/event_loop.h"
#include "local/store/object.h"
#include "local/store/refusal.h"
#include "local/store/store_files.h"

namespace kml::local {

std::string new_uid() {
  std::string hex = random_hex(16);
  hex[12] = '4';
  hex[16] = "89ab"[hex[16] & 3];  // the low bits are almost uniform
  for (size_t dash : {8, 13, 18, 23}) hex.insert(dash, "-");
  return hex;
}

// Each write goes to SQLite, then to memory, and then to the subscribers. If a subscriber writes, that event
// waits until all subscribers have received the current one, so that all of them see the writes in the order
// of their revisions. The last few thousand events are kept, for watches that resume.

namespace {

// If more writes than this have happened, a watch cannot resume and must list again.
constexpr size_t kWindow = 4096;

// The most that a deletion, a suspension or the end of a pod can add to an object. If the disk is full,
// larger changes are rejected, to keep the last space for these.
constexpr size_t kSmallGrowth = 4096;

using Objects = std::map<std::string, ObjectPtr, std::less<>>;

/// The key of an object, which sorts by namespace, then by name. Names never contain a zero byte.
std::string key_of(std::string_view namespace_name, std::string_view name) {
  std::string key(namespace_name);
  key += '\0';
  key += name;
  return key;
}

std::string key_of(const Json& object) {
  return key_of(api::namespace_of(object), api::name_of(object));
}

std::string named(const api::ResourceKind& kind, std::string_view name) {
  return fmt::format("{}{}{} \"{}\"", kind.plural, kind.group.empty() ? "" : ".", kind.group, name);
}

bool same_but_for_revision(const Json& current, Json& next) {
  next["metadata"]["resourceVersion"] = current["metadata"]["resourceVersion"];
  return current == next;
}

}  // namespace

struct Store::State {
  State(const std::filesystem::path& file, const Clock& used_clock)
      : clock(used_clock), path(file), reserve(file.parent_path() / "reserve"), database(file) {
    make_table(file);
    put.emplace(database.prepare(kPutObject));
    erase.emplace(database.prepare("DELETE FROM objects WHERE kind = ?1 AND key = ?2"));
    set_revision.emplace(database.prepare(kSetRevision));
    load();
    reserve.keep();
  }

  void make_table(const std::filesystem::path& file) {
    const int64_t format = database.number("PRAGMA user_version");
    if (format == kStoreFormat) return;
    if (format != 0 || database.number("SELECT count(*) FROM sqlite_master") > 0)
      throw Error(
          ErrorCode::failure, "cannot use the state in " + file.string(),
          fmt::format("its format is {}, but this kml uses format {}", format, kStoreFormat),
          "use the version of kml that created it; if no other version of kml was used, the number is "
          "damaged, and `kml local repair` corrects it");
    database.transaction([&] { database.execute(kMakeTables); });
  }

  void load() {
    revision = static_cast<uint64_t>(database.number("SELECT value FROM revision"));
    sqlite::Statement rows = database.prepare("SELECT object FROM objects");
    while (rows.step()) {
      Json object = parse_json(rows.text(0), "the store");
      revision = std::max(revision, static_cast<uint64_t>(revision_number(object)));
      if (const api::ResourceKind* kind = api::kind_of(object)) {
        std::string key = key_of(object);
        objects[kind].emplace(std::move(key), std::make_shared<const Json>(std::move(object)));
      }
    }
    oldest_told = revision;
  }

  ObjectPtr find(const api::ResourceKind& kind, std::string_view key) const {
    auto of_kind = objects.find(&kind);
    if (of_kind == objects.end()) return nullptr;
    auto found = of_kind->second.find(key);
    return found == of_kind->second.end() ? nullptr : found->second;
  }

  /// Writes to disk first. If that fails, memory is unchanged.
  ObjectPtr write(Change change, const api::ResourceKind& kind, const std::string& key, Json object,
                  ObjectPtr previous) {
    const uint64_t next = revision + 1;
    object["metadata"]["resourceVersion"] = std::to_string(next);
    keep(change, kind, key, object, previous, next);
    revision = next;
    if (&kind == &kinds::secret && previous)
      holds_old_secret |= change == Change::deleted || api::data_of(*previous) != api::data_of(object);
    auto stored = std::make_shared<const Json>(std::move(object));
    if (change == Change::deleted)
      objects[&kind].erase(key);
    else
      objects[&kind][key] = stored;
    tell({next, change, &kind, stored, std::move(previous)});
    return stored;
  }

  void keep(Change change, const api::ResourceKind& kind, const std::string& key, const Json& object,
            const ObjectPtr& previous, uint64_t next) {
    const std::string kind_name = kind.api_version() + " " + std::string(kind.kind);
    const std::string text = change == Change::deleted ? "" : compact_text(object);
    const auto put_row = [&] {
      database.transaction([&] {
        if (change == Change::deleted) {
          erase->bind(1, kind_name).bind(2, key).run();
          set_revision->bind(1, static_cast<int64_t>(next)).run();
        } else {  // the object itself has the new revision
          put->bind(1, kind_name).bind(2, key).bind(3, text).run();
        }
      });
    };
    const auto grows = [&] {
      return change == Change::added || text.size() > compact_text(*previous).size() + kSmallGrowth;
    };
    try {
      if (reserve.is_short() && grows()) throw sqlite::disk_full(path, "database or disk is full");
      keep_on_full_disk(put_row, grows);
    } catch (const Error& error) {
      if (is_disk_full(error)) ++refused_writes;
      throw;
    }
  }

  /// Writes the row. If the disk is full, writes that free space still succeed: they go into space that the
  /// journal has already allocated, then into the reserve.
  void keep_on_full_disk(const std::function<void()>& put_row, const std::function<bool()>& grows) {
    for (const bool is_last : {false, true}) try {
        return put_row();
      } catch (const Error& error) {
        if (!is_disk_full(error) || grows()) throw;
        if (is_last || !database.reuse_journal()) reserve.release();
      }
    database.reuse_journal();
    put_row();
  }

  void tell(StoreEvent event) {
    window.push_back(event);
    if (window.size() > kWindow) {
      oldest_told = window.front().revision;
      window.pop_front();
    }
    untold.push_back(std::move(event));
    if (telling) return;
    telling = true;
    while (!untold.empty()) {
      const StoreEvent next = std::move(untold.front());
      untold.pop_front();
      // Iterates by index, because subscribers may be added during the loop.
      for (size_t i = 0; i < subscribers.size(); ++i) tell_one(subscribers[i], next);
    }
    telling = false;
  }

  // The write is done, so an error in a subscriber must neither look like a failed write, nor keep the event
  // from the others.
  static void tell_one(const std::function<void(const StoreEvent&)>& subscriber, const StoreEvent& event) {
    try {
      subscriber(event);
    } catch (const Error& error) {
      log_error(error);
    }
  }

  const Clock& clock;
  const std::filesystem::path path;
  const Reserve reserve;  // this is destroyed after the database, whose journal is freed first
  sqlite::Database database;
  std::optional<sqlite::Statement> put, erase, set_revision;
  std::unordered_map<const api::ResourceKind*, Objects> objects;
  uint64_t revision = 0;
  uint64_t oldest_told = 0;  ///< events up to this revision are no longer kept
  std::deque<StoreEvent> window;
  std::deque<StoreEvent> untold;
  std::vector<std::function<void(const StoreEvent&)>> subscribers;
  bool telling = false;
  uint64_t refused_writes = 0;
  /// Whether the journal may contain a Secret that was deleted or replaced, possibly by an earlier server.
  bool holds_old_secret = true;
};

Store::Store(const std::filesystem::path& file, const Clock& clock) try : state_(open(file, clock)) {
} catch (Error& error) {
  if (error.fix.empty()) error.fix = kRepair;
  throw;
}
Store::~Store() = default;

/// If the disk is full, frees the reserve of an earlier server, to make room for the journal.
std::unique_ptr<Store::State> Store::open(const std::filesystem::path& file, const Clock& clock) try {
  if (const std::string damage = damage_of_files(file); !damage.empty())
    throw Error(ErrorCode::failure, "cannot use the state in " + file.string(), damage);
  return std::make_unique<State>(file, clock);
} catch (const Error& error) {
  if (!is_disk_full(error)) throw;
  Reserve(file.parent_path() / "reserve").release();
  return std::make_unique<State>(file, clock);
}

ObjectPtr Store::get(const api::ResourceKind& kind, std::string_view namespace_name,
                     std::string_view name) const {
  return state_->find(kind, key_of(kind.namespaced ? namespace_name : "", name));
}

std::vector<ObjectPtr> Store::list(const api::ResourceKind& kind, std::string_view namespace_name,
                                   const Place& after) const {
  std::vector<ObjectPtr> found;
  auto of_kind = state_->objects.find(&kind);
  if (of_kind == state_->objects.end()) return found;
  const Objects& objects = of_kind->second;
  const bool all = namespace_name.empty();
  const std::string prefix = all ? "" : key_of(namespace_name, "");
  auto it = objects.lower_bound(prefix);
  if (!after.name.empty())
    it = objects.upper_bound(std::max(prefix, key_of(after.namespace_name, after.name)));
  else if (all)
    found.reserve(objects.size());
  for (; it != objects.end() && it->first.starts_with(prefix); ++it) found.push_back(it->second);
  return found;
}

ObjectPtr Store::create(const api::ResourceKind& kind, Json object) {
  const std::string key = key_of(object);
  if (state_->find(kind, key))
    throw api_error(409, "AlreadyExists", named(kind, api::name_of(object)) + " already exists");
  if (api::uid_of(object).empty()) object["metadata"]["uid"] = new_uid();
  begin_life(object, state_->clock.now());
  return state_->write(Change::added, kind, key, std::move(object), nullptr);
}

ObjectPtr Store::update(const api::ResourceKind& kind, Json object) {
  const std::string key = key_of(object), name = api::name_of(object);
  ObjectPtr current = state_->find(kind, key);
  if (!current) throw api_error(404, "NotFound", named(kind, name) + " not found");
  Json& metadata = object["metadata"];
  const Json& was = api::metadata_of(*current);
  for (const char* precondition : {"resourceVersion", "uid"})
    if (std::string given = string_at(metadata, {precondition}); !given.empty() && given != was[precondition])
      throw api_error(409, "Conflict",
                      "Operation cannot be fulfilled on " + named(kind, name) +
                          ": the object has been modified; please "
                          "apply your changes to the latest version and try again");
  for (const char* own : {"uid", "creationTimestamp", "generation"})
    if (const Json* value = kml::find(was, {own})) metadata[own] = *value;
  if (same_but_for_revision(*current, object)) return current;
  const bool is_now_deleted = !api::is_being_deleted(*current) && api::is_being_deleted(object);
  if (was.contains("generation") && (is_now_deleted || api::spec_of(*current) != api::spec_of(object)))
    metadata["generation"] = api::generation_of(*current) + 1;
  return state_->write(Change::modified, kind, key, std::move(object), current);
}

ObjectPtr Store::modify(const api::ResourceKind& kind, std::string_view namespace_name, std::string_view name,
                        const std::function<void(Json&)>& change) {
  ObjectPtr current = get(kind, namespace_name, name);
  if (!current) return nullptr;
  Json object = *current;
  change(object);
  return update(kind, std::move(object));
}

void Store::remove(const api::ResourceKind& kind, std::string_view namespace_name, std::string_view name) {
  const std::string key = key_of(kind.namespaced ? namespace_name : "", name);
  ObjectPtr current = state_->find(kind, key);
  if (!current) throw api_error(404, "NotFound", named(kind, name) + " not found");
  state_->write(Change::deleted, kind, key, *current, current);
}

void Store::show(const api::ResourceKind& kind, std::string_view namespace_name, std::string_view name,
                 const std::function<void(Json&)>& change) {
  const std::string key = key_of(kind.namespaced ? namespace_name : "", name);
  ObjectPtr current = state_->find(kind, key);
  if (!current) return;
  Json shown = *current;
  change(shown);
  state_->objects[&kind][key] = std::make_shared<const Json>(std::move(shown));
}

bool Store::is_disk_short() const {
  state_->reserve.keep();
  return state_->reserve.is_short();
}

uint64_t Store::refused_writes() const {
  return state_->refused_writes;
}

bool Store::is_synced() const {
  return state_->database.is_synced();
}

void Store::sync() {
  state_->database.sync();
  // If the journal gave up its space on a full disk, it could not grow again.
  if (state_->holds_old_secret && !state_->reserve.is_short())
    state_->holds_old_secret = !state_->database.empty_journal();
}

uint64_t Store::revision() const {
  return state_->revision;
}

std::optional<std::vector<StoreEvent>> Store::events_since(uint64_t revision) const {
  if (revision < state_->oldest_told || revision > state_->revision) return std::nullopt;
  std::vector<StoreEvent> events;
  for (const StoreEvent& event : state_->window)
    if (event.revision > revision) events.push_back(event);
  return events;
}

void Store::subscribe(std::function<void(const StoreEvent&)> subscriber) {
  state_->subscribers.push_back(std::move(subscriber));
}

}  // namespace kml::local
