#include "jobs/submit/ownership.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "kml/api/labels.h"
#include "kml/api/object.h"
#include "kml/core/text.h"
#include "kml/jobs/submit/belongings.h"

namespace kml::jobs {

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

Json owner_reference(const Json& object) {
  return {{"apiVersion", object.at("apiVersion")},
          {"kind", object.at("kind")},
          {"name", object.at("metadata").at("name")},
          {"uid", object.at("metadata").at("uid")}};
}

void add_owners(kube::Client& client, const api::ResourceKind& kind, const std::string& namespace_name,
                const std::string& name, const Json& owners, Json known) {
  constexpr int kTries = 10;  // others may add owners to a shared Secret at the same time
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
    const std::string namespace_name = string_at(entry, {"namespace"}), name = string_at(entry, {"name"});
    Json owners = Json::array();
    for (const Json& owner : array_at(entry, {"owners"})) {
      const auto object =
          client.get_if_exists(client.kind_of(owner), namespace_name, string_at(owner, {"name"}));
      if (has_submit_id(object, owner)) owners.push_back(owner_reference(*object));
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
  const std::string text = note.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (!fd || ::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw system_error("cannot write " + path.string(), errno);
  return {path, std::move(fd)};
}

void settle_abandoned(kube::Client& client, const std::string& server) {
  std::error_code none;
  for (const auto& file : fs::directory_iterator(notes_folder(), none)) {
    const Fd lock = lock_file(file.path(), 0);
    if (!lock) continue;  // its submit is still at work
    try {
      const Json note = Json::parse(read_file(file.path()), nullptr, false);
      if (!note.is_discarded()) {  // else it was killed while it wrote this, before it made anything
        if (string_at(note, {"server"}) != server) continue;
        settle(client, note);
      }
      fs::remove(file.path());
    } catch (const std::exception&) {
      // Not allowed, or not to be reached: this submit goes on.
    }
  }
}

}  // namespace kml::jobs
