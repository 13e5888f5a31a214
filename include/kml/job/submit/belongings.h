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

/// Adds owners to an object. `known` is the latest state of the object, or null if that is unknown. Throws
/// Error (NotFound) if the object no longer exists.
void add_owners(kube::Client& client, const api::ResourceKind& kind, const std::string& namespace_name,
                const std::string& name, const Json& owners, Json known = nullptr);

/// Finds out which owners in the note exist, and makes them the owners of the note's objects. Deletes those
/// of the note's objects that have no owner.
void settle(kube::Client& client, const Json& note);

/// Writes a note to the state folder. The note is locked while the returned descriptor is open, so that no
/// other process settles it.
std::pair<std::filesystem::path, Fd> write_note(const Json& note);

/// An object that a submit creates for its jobs, such as a Secret, a ConfigMap with a program, a PodGroup, or
/// the Service by which ranks find each other. It is created before the jobs, and deleted with the last of
/// them.
struct Belonging {
  /// the object; a Secret or a ConfigMap lacks its contents, so that it can be shown and stored
  Json object;
  std::map<std::string, std::string> data = {};  ///< the contents, which are never shown or stored
  /// whether the object is named by its contents; it may then already exist for other jobs
  bool is_shared = false;
  bool is_for_all = false;  ///< whether the object is also used by jobs that do not mention it
};

/// The object to send, including its contents.
Json filled(const Belonging& belonging);

/// The belongings of a submit, from their creation until the jobs own them. A job and the objects it owns
/// cannot be created in one request, so the belongings are created first; no job starts without them. Until
/// they have owners, a note in the state folder lists them. If the submit is killed before that, the next
/// submit hands them over or deletes them. The note does not contain secrets.
class Belongings {
 public:
  /// `objects` are all objects that the submit will create. settle_abandoned() only settles notes about the
  /// same `server`.
  Belongings(kube::Client& client, const std::string& server, std::vector<Belonging> list,
             const std::vector<Json>& objects);

  void create();
  /// The objects as the server returned them; null for one that already existed, but was deleted before kml
  /// could read it.
  const std::vector<Json>& made() const { return made_; }
  /// Makes the created objects the owners of their belongings. `created` are the objects as the server
  /// returned them.
  void hand_over(const std::vector<Json>& created);
  /// Call this after an error. Hands over the belongings that have an owner, and deletes the others. Never
  /// throws; settle_abandoned() finishes what has failed.
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

/// Hands over or deletes the belongings of killed submits to this server. Ignores failures, because the next
/// submit tries again.
void settle_abandoned(kube::Client& client, const std::string& server);

/// The Secret with the secret variables of a submit, in each namespace where an object mentions it.
std::vector<Belonging> secret_belongings(const std::map<std::string, std::string>& values,
                                         const std::string& name, const Marks& marks,
                                         const std::vector<Json>& objects);

/// Like secret_belongings(), for a Secret that is named by its contents, which other jobs may have, too.
std::vector<Belonging> shared_secret(const std::map<std::string, std::string>& values,
                                     const std::string& name, const Marks& marks,
                                     const std::vector<Json>& objects);

/// Whether any string in the object is equal to the text.
bool mentions(const Json& object, const std::string& text);

}  // namespace kml::job
