#include "net/fetch/bucket.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "kml/base/beneath.h"
#include "kml/base/clock.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/sha256.h"
#include "kml/base/text.h"
#include "kml/base/tree_names.h"
#include "kml/net/s3/client.h"
#include "net/fetch/content.h"
#include "net/fetch/space.h"

namespace kml::fetch {

namespace fs = std::filesystem;

namespace {

s3::Client client_of(const Source& source, const Means& means) {
  const s3::Profile profile = s3::read_profile();
  s3::Settings settings = bucket_settings(source);
  s3::CredentialSource credentials(profile, settings.region, means.make_transport, system_clock());
  return s3::Client(std::move(settings), std::move(credentials), means.make_transport, means.pause,
                    system_clock());
}

/// The objects, without those that stand for folders.
std::vector<s3::Object> objects_of(s3::Client& client, const Source& source) {
  std::vector<s3::Object> objects = client.list("");
  std::erase_if(objects,
                [](const s3::Object& object) { return object.key.ends_with('/') || object.key.empty(); });
  if (objects.empty()) throw usage_error("cannot read " + source.place, "it has no objects");
  return objects;
}

std::string digest_of_list(const std::vector<s3::Object>& objects) {
  Sha256 hash;
  for (const s3::Object& object : objects)
    hash.add(fmt::format("{}\n{}\n{}\n", object.key, object.size, rfc3339(object.modified)));
  return hash.hex();
}

std::string key_beneath(const s3::Object& object) {
  std::string key = object.key.starts_with('/') ? object.key.substr(1) : object.key;
  if (!is_path_beneath(key))
    throw Error(ErrorCode::failure, "the key " + object.key + " cannot be a path",
                "it would lead out of the folder, or has an empty part");
  return key;
}

void copy_object(s3::Client& client, const s3::Object& object, const std::string& path, Beneath& folder) {
  {
    const Fd part = folder.open_part(path);
    client.get_file(object.key, object.size, part.get(), true);
  }
  folder.complete(path, 0644, object.modified.time_since_epoch() / std::chrono::seconds(1));
}

}  // namespace

s3::Settings bucket_settings(const Source& source) {
  if (!is_google(source))
    return s3::settings_for(s3::parse_bucket(source.place, "--data"), s3::read_profile());
  const std::string rest = source.place.substr(std::string_view("gs://").size());
  const size_t slash = std::min(rest.find('/'), rest.size());
  const std::string emulator = environment("STORAGE_EMULATOR_HOST");
  s3::Settings settings{{rest.substr(0, slash), rest.substr(std::min(slash + 1, rest.size()))}, "auto"};
  settings.endpoint = emulator.empty() ? "https://storage.googleapis.com" : emulator;
  settings.is_path_style = true;
  return settings;
}

std::string version_of_bucket(const Source& source, const Means& means) {
  s3::Client client = client_of(source, means);
  return digest_of_list(objects_of(client, source));
}

void fetch_bucket(const Source& source, const fs::path& folder, const Means& means) {
  s3::Client client = client_of(source, means);
  const std::vector<s3::Object> objects = objects_of(client, source);
  if (digest_of_list(objects) != source.version)
    throw Error(ErrorCode::failure,
                "the objects of " + source.place + " have changed since the job was submitted", "",
                "submit the job again");
  std::uintmax_t bytes = 0;
  std::vector<const s3::Object*> missing;
  for (const s3::Object& object : objects) {
    const std::string path = key_beneath(object);
    if (has_content(folder / path, {.size = object.size})) continue;
    missing.push_back(&object);
    bytes += bytes_missing(folder, path, object.size);
  }
  require_space(folder, bytes, source.text());
  Beneath target(folder);
  std::set<std::string> folders;
  for (const s3::Object* object : missing) {
    const std::string path = key_beneath(*object);
    for (size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1))
      if (std::string above = path.substr(0, slash); folders.insert(above).second)
        target.make_folder(above, 0755);
    copy_object(client, *object, path, target);
  }
}

}  // namespace kml::fetch
