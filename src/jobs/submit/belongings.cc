#include "kml/jobs/submit/belongings.h"

#include <algorithm>
#include <set>

#include "jobs/submit/ownership.h"
#include "kml/api/labels.h"
#include "kml/api/object.h"
#include "kml/core/text.h"
#include "kml/jobs/submit/create.h"

namespace kml::jobs {

namespace {

using api::name_of;
using api::namespace_of;

bool is_for(const Belonging& belonging, const Json& object) {
  return namespace_of(object) == namespace_of(belonging.object) &&
         (belonging.is_for_all || mentions(object.value("spec", Json()), name_of(belonging.object)));
}

/// What a later kml needs to know.
Json note_of(const std::string& server, const std::vector<Belonging>& list,
             const std::vector<Json>& objects) {
  Json note = {{"server", server}, {"objects", Json::array()}};
  for (const Belonging& belonging : list) {
    Json entry = {{"apiVersion", belonging.object.at("apiVersion")},
                  {"kind", belonging.object.at("kind")},
                  {"namespace", namespace_of(belonging.object)},
                  {"name", name_of(belonging.object)},
                  {"submit", api::label_of(belonging.object, api::kSubmitId)},
                  {"owners", Json::array()}};
    for (const Json& object : objects)
      if (is_for(belonging, object))
        entry["owners"].push_back({{"apiVersion", object.at("apiVersion")},
                                   {"kind", object.at("kind")},
                                   {"name", name_of(object)},
                                   {"submit", api::label_of(object, api::kSubmitId)}});
    note["objects"].push_back(std::move(entry));
  }
  return note;
}

}  // namespace

Json filled(const Belonging& belonging) {
  Json object = belonging.object;
  for (const auto& [key, value] : belonging.data) object["data"][key] = base64_encoded(value);
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
    if (mentions(object, name)) namespaces.insert(namespace_of(object));
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

Belongings::Belongings(kube::Client& client, const std::string& server, std::vector<Belonging> list,
                       const std::vector<Json>& objects)
    : client_(client), list_(std::move(list)), note_(note_of(server, list_, objects)) {}

void Belongings::create() {
  if (list_.empty()) return;
  std::tie(file_, lock_) = write_note(note_);
  for (const Belonging& belonging : list_) {
    try {
      made_.push_back(create_once(client_, namespace_of(belonging.object), filled(belonging)));
    } catch (const Error& error) {
      if (!belonging.is_shared || error.reason != "AlreadyExists") throw;
      made_.push_back(nullptr);
    }
  }
}

void Belongings::hand_over(const std::vector<Json>& created) {
  for (size_t i = 0; i < list_.size(); ++i) {
    Json owners = Json::array();
    for (const Json& object : created)
      if (is_for(list_[i], object)) owners.push_back(owner_reference(object));
    try {
      add_owners(client_, client_.kind_of(list_[i].object), namespace_of(list_[i].object),
                 name_of(list_[i].object), owners, made_[i]);
    } catch (const Error& error) {
      // Its other owners went, and it with them, just when it was found to be there.
      if (error.reason != "NotFound" || !list_[i].is_shared) throw;
      Json again = filled(list_[i]);
      again["metadata"]["ownerReferences"] = owners;
      create_once(client_, namespace_of(again), again);
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
    // The file stays, for settle_abandoned().
  }
}

void Belongings::forget() {
  if (!file_.empty()) std::filesystem::remove(file_);
  file_.clear();
  lock_ = {};
}

}  // namespace kml::jobs
