#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kml/base/files.h"
#include "kml/base/json.h"
#include "kml/job/submit/marks.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// Adds owners to an object. `known` is the object's latest state if known, otherwise null. Throws Error
/// "NotFound" if the object no longer exists.
void add_owners(kube::Client& client, const api::ResourceKind& kind, const std::string& namespace_name,
                const std::string& name, const Json& owners, Json known = nullptr);

/// Assigns the objects in a note to those of their owners that exist. Deletes objects without an owner.
void settle(kube::Client& client, const Json& note);

/// Writes a note to the state folder. It is locked while the returned descriptor is open, so that no other
/// process settles it.
std::pair<std::filesystem::path, Fd> write_note(const Json& note);

/// An object that a submit creates for its jobs: a Secret, or the Service that names the ranks. It is created
/// before the jobs and deleted with the last of them.
struct Belonging {
  Json object;                                   ///< a Secret without its contents: safe to show and store
  std::map<std::string, std::string> data = {};  ///< the contents, which are never shown or stored
  bool is_shared = false;                        ///< named by its contents: may already exist for other jobs
  bool is_for_all = false;                       ///< also used by jobs that do not mention it
};

/// The object to send, with its contents.
Json filled(const Belonging& belonging);

/// The belongings of one submit, from their creation until its jobs own them.
///
/// A job and the objects that it owns cannot be created in one request. The belongings are created first, so
/// that no job starts without them. A note in the state folder lists them until they have owners: if
/// the submit is killed before that, the next submit hands them over or deletes them. The note has no secret
/// contents.
class Belongings {
 public:
  /// `objects` are all objects that the submit will create. settle_abandoned() settles only notes of the same
  /// `server`.
  Belongings(kube::Client& client, const std::string& server, std::vector<Belonging> list,
             const std::vector<Json>& objects);

  void create();
  /// The objects that the server returned; null for those that already existed.
  const std::vector<Json>& made() const { return made_; }
  /// Makes the created objects the owners of their belongings. `created` are the objects that the server
  /// returned.
  void hand_over(const std::vector<Json>& created);
  /// Call after an error. Hands over the belongings that have an owner and deletes the rest. Never throws;
  /// settle_abandoned() finishes what failed.
  void give_up() noexcept;

 private:
  void forget();

  kube::Client& client_;
  std::vector<Belonging> list_;
  std::vector<Json> made_;
  Json note_;
  std::filesystem::path file_;
  Fd lock_;
};

/// Settles the belongings of killed submits to this server. Ignores failures, because the next submit tries
/// again.
void settle_abandoned(kube::Client& client, const std::string& server);

/// The Secret of a submit's secret variables, in each namespace where an object mentions it.
std::vector<Belonging> secret_belongings(const std::map<std::string, std::string>& values,
                                         const std::string& name, const Marks& marks,
                                         const std::vector<Json>& objects);

/// Whether any string in the object equals the text.
bool mentions(const Json& object, const std::string& text);

}  // namespace kml::job
