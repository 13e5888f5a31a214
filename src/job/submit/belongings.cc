#include "kml/job/submit/belongings.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "kml/base/text.h"
#include "kml/job/submit/create.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace fs = std::filesystem;

namespace {

fs::path notes_folder() {
  return state_folder() / "submits";
}

bool has_submit_id(const std::optional<Json>& object, const Json& entry) {
  return object && api::label_of(*object, api::kSubmitId) == string_at(entry, {"submit"});
}

Fd lock_file(const fs::path& path, int flags) {
  Fd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC | flags, 0600));
  if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return {};
  return fd;
}

}  // namespace

void add_owners(kube::Client& client, const api::ResourceKind& kind, const std::string& namespace_name,
                const std::string& name, const Json& owners, Json known) {
  // needed because other submits may add owners to a shared Secret at the same time
  constexpr int kTries = 10;
  for (int attempt = 1;; ++attempt) {
    if (known.is_null()) known = client.get(kind, namespace_name, name);
    Json all = api::owners_of(known);
    for (const Json& owner : owners)
      if (std::find(all.begin(), all.end(), owner) == all.end()) all.push_back(owner);
    try {
      client.patch(kind, namespace_name, name, kube::PatchType::merge,
                   {{"metadata",
                     {{"resourceVersion", api::revision_of(known)}, {"ownerReferences", std::move(all)}}}});
      return;
    } catch (const Error& error) {
      if (error.reason != "Conflict" || attempt == kTries) throw;
      known = nullptr;
    }
  }
}

void settle(kube::Client& client, const Json& note) {
  for (const Json& entry : array_at(note, {"objects"})) {
    const api::ResourceKind& kind = client.kind_of(entry);
    const std::string namespace_name = string_at(entry, {"namespace"}), name = api::entry_name(entry);
    Json owners = Json::array();
    for (const Json& owner : array_at(entry, {"owners"})) {
      const auto object = client.get_if_exists(client.kind_of(owner), namespace_name, api::entry_name(owner));
      if (has_submit_id(object, owner)) owners.push_back(api::owner_reference(*object));
    }
    const auto made = client.get_if_exists(kind, namespace_name, name);
    if (!made) continue;
    if (!owners.empty())
      add_owners(client, kind, namespace_name, name, owners, *made);
    else if (has_submit_id(made, entry) && api::owners_of(*made).empty())
      client.remove(kind, namespace_name, name, {.uid = api::uid_of(*made)});
  }
}

std::pair<fs::path, Fd> write_note(const Json& note) {
  make_private_folder(notes_folder());
  const fs::path path = notes_folder() / (random_hex(8) + ".json");
  Fd fd = lock_file(path, O_CREAT | O_EXCL);
  const std::string text = compact_text(note);
  if (!fd || !write_whole(fd.get(), text)) throw system_error("cannot write " + path.string(), errno);
  return {path, std::move(fd)};
}

void settle_abandoned(kube::Client& client, const std::string& server) {
  std::error_code none;
  for (const auto& file : fs::directory_iterator(notes_folder(), none)) {
    const Fd lock = lock_file(file.path(), 0);
    if (!lock) continue;  // the kml process that wrote the note is still running
    try {
      const Json note = Json::parse(read_file(file.path()), nullptr, false);
      if (!note.is_discarded()) {  // an invalid note means that kml was killed before it created anything
        if (string_at(note, {"server"}) != server) continue;
        settle(client, note);
      }
      fs::remove(file.path());
    } catch (const std::exception&) {
      // Without access or a connection, the abandoned belongings stay. This submit continues anyway.
    }
  }
}

namespace {

bool is_for(const Belonging& belonging, const Json& object) {
  return api::namespace_of(object) == api::namespace_of(belonging.object) &&
         (belonging.is_for_all || mentions(object.value("spec", Json()), api::name_of(belonging.object)));
}

/// Everything that a later kml process needs to settle the belongings.
Json note_of(const std::string& server, const std::vector<Belonging>& list,
             const std::vector<Json>& objects) {
  Json note = {{"server", server}, {"objects", Json::array()}};
  for (const Belonging& belonging : list) {
    Json entry = {
        {"apiVersion", belonging.object.at("apiVersion")},           {"kind", belonging.object.at("kind")},
        {"namespace", api::namespace_of(belonging.object)},          {"name", api::name_of(belonging.object)},
        {"submit", api::label_of(belonging.object, api::kSubmitId)}, {"owners", Json::array()}};
    for (const Json& object : objects)
      if (is_for(belonging, object))
        entry["owners"].push_back({{"apiVersion", object.at("apiVersion")},
                                   {"kind", object.at("kind")},
                                   {"name", api::name_of(object)},
                                   {"submit", api::label_of(object, api::kSubmitId)}});
    note["objects"].push_back(std::move(entry));
  }
  return note;
}

}  // namespace

Json filled(const Belonging& belonging) {
  Json object = belonging.object;
  const char* part = api::kind_name(object) == "ConfigMap" ? "binaryData" : "data";
  for (const auto& [key, value] : belonging.data) object[part][key] = base64_encoded(value);
  return object;
}

bool mentions(const Json& object, const std::string& text) {
  if (object.is_string()) return object.get_ref<const std::string&>() == text;
  return object.is_structured() &&
         std::any_of(object.begin(), object.end(), [&](const Json& item) { return mentions(item, text); });
}

std::vector<Belonging> secret_belongings(const std::map<std::string, std::string>& values,
                                         const std::string& name, const Marks& marks,
                                         const std::vector<Json>& objects) {
  std::set<std::string> namespaces;
  for (const Json& object : objects)
    if (mentions(object, name)) namespaces.insert(api::namespace_of(object));
  std::vector<Belonging> list;
  for (const std::string& namespace_name : namespaces) {
    Json secret = {{"apiVersion", "v1"},
                   {"kind", "Secret"},
                   {"metadata", {{"name", name}, {"namespace", namespace_name}}},
                   {"type", "Opaque"},
                   {"immutable", true}};
    list.push_back({marked({std::move(secret)}, marks).front(), values});
  }
  return list;
}

std::vector<Belonging> shared_secret(const std::map<std::string, std::string>& values,
                                     const std::string& name, const Marks& marks,
                                     const std::vector<Json>& objects) {
  std::vector<Belonging> list = secret_belongings(values, name, marks, objects);
  for (Belonging& secret : list) secret.is_shared = true;
  return list;
}

namespace {

/// The existing object with that name; null if there is none. Throws Error if its contents differ: the name
/// is a digest of the contents, but whoever created the object may have stored different ones.
Json equal_one(kube::Client& client, const Belonging& belonging) {
  const std::string namespace_name = api::namespace_of(belonging.object),
                    name = api::name_of(belonging.object);
  std::optional<Json> there = client.get_if_exists(client.kind_of(belonging.object), namespace_name, name);
  if (!there) return nullptr;
  const Json wanted = filled(belonging);
  const auto is_equal = [&](const char* part) {
    return object_at(*there, {part}) == object_at(wanted, {part});
  };
  if (is_equal("data") && is_equal("binaryData")) return *std::move(there);
  throw Error(ErrorCode::failure,
              api::kind_name(belonging.object) + " \"" + name + "\" has unexpected contents",
              "another user or program has changed it, or created it first",
              "find out who made the object (kml list " + lower(api::kind_name(belonging.object)) +
                  "s -o yaml -n " + namespace_name + "), then delete it");
}

}  // namespace

Belongings::Belongings(kube::Client& client, const std::string& server, std::vector<Belonging> list,
                       const std::vector<Json>& objects)
    : client_(client), list_(std::move(list)), note_(note_of(server, list_, objects)) {}

void Belongings::create() {
  if (list_.empty()) return;
  std::tie(file_, lock_) = write_note(note_);
  for (const Belonging& belonging : list_) {
    try {
      made_.push_back(create_once(client_, api::namespace_of(belonging.object), filled(belonging)));
    } catch (const Error& error) {
      if (!belonging.is_shared || error.reason != "AlreadyExists") throw;
      made_.push_back(equal_one(client_, belonging));
    }
  }
}

void Belongings::hand_over(const std::vector<Json>& created) {
  for (size_t i = 0; i < list_.size(); ++i) {
    Json owners = Json::array();
    for (const Json& object : created)
      if (is_for(list_[i], object)) owners.push_back(api::owner_reference(object));
    try {
      add_owners(client_, client_.kind_of(list_[i].object), api::namespace_of(list_[i].object),
                 api::name_of(list_[i].object), owners, made_[i]);
    } catch (const Error& error) {
      // The Secret existed a moment ago, but was then deleted together with its last owner.
      if (error.reason != "NotFound" || !list_[i].is_shared) throw;
      Json again = filled(list_[i]);
      again["metadata"]["ownerReferences"] = owners;
      create_once(client_, api::namespace_of(again), again);
    }
  }
  forget();
}

void Belongings::give_up() noexcept {
  if (file_.empty()) return;
  try {
    settle(client_, note_);
    forget();
  } catch (const std::exception&) {
    // The note is kept, so that settle_abandoned() can settle it later.
  }
}

void Belongings::forget() {
  if (!file_.empty()) std::filesystem::remove(file_);
  file_.clear();
  lock_ = {};
}

}  // namespace kml::job
