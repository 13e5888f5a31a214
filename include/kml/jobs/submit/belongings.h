#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kml/core/files.h"
#include "kml/core/json.h"
#include "kml/jobs/submit/marks.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// metav1.OwnerReference to an object that the server has answered.
Json owner_reference(const Json& object);

/// Adds to an object's owners. `known` is the object where its latest state is known, else null. Throws Error
/// "NotFound" where it is gone.
void add_owners(kube::Client& client, const api::ResourceKind& kind, const std::string& namespace_name,
                const std::string& name, const Json& owners, Json known = nullptr);

/// Hands what a note names over to those of its owners that exist, and deletes what has none.
void settle(kube::Client& client, const Json& note);

/// Keeps a note in the state folder, locked while the returned descriptor is open: it is nobody else's to
/// settle.
std::pair<std::filesystem::path, Fd> write_note(const Json& note);

/// An object that a submit makes for its jobs: a Secret, the Service that gives ranks their names. It is
/// there before they are, and goes with the last of them.
struct Belonging {
  Json object;                                   ///< a Secret without its contents: fit to be shown and kept
  std::map<std::string, std::string> data = {};  ///< the contents, which never are
  bool is_shared = false;   ///< named by its contents: it may be there already, for other jobs
  bool is_for_all = false;  ///< also for jobs that do not mention it
};

/// What is sent: with its contents.
Json filled(const Belonging& belonging);

/// The belongings of one submit, from their creation until its jobs own them.
///
/// A job cannot be made in one request along with what it owns. The belongings come first, so that no job
/// ever lacks them; a file in the state folder names them until they are owned, so that of a submit that was
/// killed in between the next one hands them over, or deletes them. The file holds no contents.
class Belongings {
 public:
  /// `objects` are all that the submit is to make. `server` tells apart what settle_abandoned() may settle.
  Belongings(kube::Client& client, const std::string& server, std::vector<Belonging> list,
             const std::vector<Json>& objects);

  void create();
  /// As the server answered; null for what was there already.
  const std::vector<Json>& made() const { return made_; }
  /// Makes those of the objects, as the server answered them, the owners of what is for them.
  void hand_over(const std::vector<Json>& created);
  /// After an error: what has an owner by now is handed over, the rest deleted. Never throws; what could not
  /// be done is left to settle_abandoned().
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

/// Does what killed submits to this server left undone. Failures are passed over: the next submit tries
/// again.
void settle_abandoned(kube::Client& client, const std::string& server);

/// The Secret of a submit's secret variables, in each namespace where an object mentions it.
std::vector<Belonging> secret_belongings(const std::map<std::string, std::string>& values,
                                         const std::string& name, const Marks& marks,
                                         const std::vector<Json>& objects);

/// Whether the text stands somewhere in the object as a whole string.
bool mentions(const Json& object, const std::string& text);

}  // namespace kml::jobs
