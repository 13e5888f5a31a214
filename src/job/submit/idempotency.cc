#include "job/submit/idempotency.h"

#include <algorithm>
#include <cstdint>

#include "kml/job/submit/belongings.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

/// The 64-bit FNV-1a hash. It is sufficient, because a user's own names and manifests are not hostile.
uint64_t hash_of(std::string_view text) {
  uint64_t hash = 14695981039346656037U;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

/// Replaces each string that equals `from`, because templates use the job's name in other places, too.
void replace_text(Json& value, const std::string& from, const char* to) {
  if (value.is_string() && value == from)
    value = to;
  else if (value.is_structured())
    for (Json& item : value) replace_text(item, from, to);
}

std::string hash_label(const Json& object) {
  return api::annotation_of(object, kManifestHash);
}

std::string shown(const Json& value) {
  constexpr size_t kLongest = 60;
  std::string text = compact_text(value);
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "…";
}

/// The result of first_difference() for the values at this path.
std::string difference(const Json& now, const Json& earlier, const std::string& path) {
  if (now.is_object() && earlier.is_object()) {
    for (const auto& [key, value] : now.items()) {
      const std::string at = path.empty() ? key : path + "." + key;
      // Skips the parts that differ between submits: the marks, and the name of the submit's Secret.
      if (at == "metadata.name" || at == "metadata.labels" || at == "metadata.annotations" ||
          at.ends_with(".secretKeyRef.name"))
        continue;
      if (!earlier.contains(key)) return at + " is " + shown(value) + " now, but was not set";
      if (std::string found = difference(value, earlier[key], at); !found.empty()) return found;
    }
    return {};
  }
  if (now.is_array() && earlier.is_array() && now.size() == earlier.size()) {
    for (size_t i = 0; i < now.size(); ++i)
      if (std::string found = difference(now[i], earlier[i], path + "[" + std::to_string(i) + "]");
          !found.empty())
        return found;
    return {};
  }
  return now == earlier ? "" : path + " is " + shown(now) + " now, but was " + shown(earlier);
}

Error differs(const std::string& key, const Json& now, const Json& earlier) {
  std::string what = first_difference(now, earlier);
  return usage_error("--idempotency-key " + key + " was used for another job, " + api::name_of(earlier),
                     what.empty() ? "its flags, labels or annotations differ" : what,
                     "submit with the same flags, or choose another key");
}

}  // namespace

std::string first_difference(const Json& now, const Json& earlier) {
  return difference(now, earlier, "");
}

std::string suffix_of_key(std::string_view key, size_t number) {
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  uint64_t hash = hash_of(std::string(key) + "/" + std::to_string(number));
  std::string suffix;
  for (int i = 0; i < 5; ++i, hash /= kAlphabet.size()) suffix += kAlphabet[hash % kAlphabet.size()];
  return suffix;
}

std::string manifest_hash(const Json& object, const std::string& submit_id) {
  Json nameless = object;
  replace_text(nameless, secret_object_name(submit_id), "${secret}");
  if (const std::string name = api::name_of(object); !name.empty()) replace_text(nameless, name, "${name}");
  if (nameless.contains("metadata")) nameless["metadata"].erase("name");
  constexpr char kHex[] = "0123456789abcdef";
  const uint64_t hash = hash_of(compact_text(nameless));
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += kHex[hash >> shift & 15];
  return text;
}

std::vector<std::optional<Json>> find_earlier(kube::Client& client, const std::vector<Json>& objects) {
  std::vector<std::optional<Json>> found(objects.size());
  std::vector<Json> earlier;
  std::vector<std::pair<const api::ResourceKind*, std::string>> asked;
  std::string key;
  for (const Json& object : objects) {
    if (!is_job(object)) continue;
    key = api::label_of(object, kIdempotencyKey);
    std::pair collection{api::kind_of(object), api::namespace_of(object)};
    if (std::find(asked.begin(), asked.end(), collection) != asked.end()) continue;
    const std::string selector = std::string(kIdempotencyKey) + "=" + key;
    for (Json& job : client.list(*collection.first, collection.second, {selector, {}}).items)
      earlier.push_back(std::move(job));
    asked.push_back(std::move(collection));
  }

  // Compares the names first, because some jobs may differ only in their names.
  const auto take = [&](bool by_name) {
    for (size_t i = 0; i < objects.size(); ++i) {
      if (found[i] || !is_job(objects[i])) continue;
      auto match = std::find_if(earlier.begin(), earlier.end(), [&](const Json& job) {
        return hash_label(job) == hash_label(objects[i]) &&
               (!by_name || api::name_of(job) == api::name_of(objects[i]));
      });
      if (match == earlier.end()) continue;
      found[i] = std::move(*match);
      earlier.erase(match);
    }
  };
  take(true);
  take(false);
  if (!earlier.empty())
    for (size_t i = 0; i < objects.size(); ++i)
      if (!found[i] && is_job(objects[i])) throw differs(key, objects[i], earlier[0]);
  return found;
}

}  // namespace kml::job
