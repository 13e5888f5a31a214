#include "job/packages/indexes.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

#include "job/packages/toml.h"
#include "job/packages/uv.h"
#include "kml/base/agent.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/net/http/url_host.h"

namespace kml::packages {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> strings_in(const Json& value) {
  std::vector<std::string> strings;
  if (value.is_string()) strings.push_back(value);
  if (value.is_array())
    for (const Json& item : value)
      if (item.is_string()) strings.push_back(item);
  return strings;
}

std::vector<std::string> strings_at(const Json& uv, const char* key) {
  return uv.contains(key) ? strings_in(uv[key]) : std::vector<std::string>();
}

/// Makes the path of an index absolute if the index is a folder of this machine. A URL stays as it is.
std::string settled(const std::string& place, const fs::path& folder) {
  return contains(place, "://") ? place : (folder / place).lexically_normal().string();
}

void add_index(Indexes& indexes, const Json& index, const fs::path& folder) {
  const std::string url = string_at(index, {"url"}), name = string_at(index, {"name"});
  if (url.empty()) return;
  const std::string named = (name.empty() ? "" : name + "=") + settled(url, folder);
  if (string_at(index, {"format"}) == "flat")
    indexes.find_links.push_back(settled(url, folder));
  else if (bool_at(index, {"default"}))
    indexes.first = named;
  else
    indexes.more.push_back(named);
}

/// "corp" of "corp=https://host/simple"; empty for a URL without a name.
std::string name_of_index(const std::string& index) {
  const size_t end = index.find_first_of("=:/");
  return end != std::string::npos && index[end] == '=' ? index.substr(0, end) : "";
}

struct NamedIndex {
  std::string name, url;  ///< the name may be empty
};

/// All indexes that uv in the pod uses.
std::vector<NamedIndex> indexes_of_pod(const Json& variables) {
  std::vector<NamedIndex> found;
  for (const char* variable : {"UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_INDEX", "UV_EXTRA_INDEX_URL"})
    for (const std::string& index : split(string_at(variables, {variable}), ' ')) {
      const std::string name = name_of_index(index);
      if (!index.empty()) found.push_back({name, name.empty() ? index : index.substr(name.size() + 1)});
    }
  if (const fs::path config = Uv::own_config(); !config.empty())
    for (const Json& index : array_at(read_toml(read_file(config), config), {"index"}))
      found.push_back({string_at(index, {"name"}), string_at(index, {"url"})});
  return found;
}

/// As uv writes an index's name in variables: "my-index" is MY_INDEX.
std::string name_in_variables(const std::string& name) {
  std::string text = upper(name);
  std::ranges::replace_if(
      text, [](unsigned char c) { return !std::isalnum(c); }, '_');
  return text;
}

std::string variable_of(const NamedIndex& index, const char* part) {
  return "UV_INDEX_" + name_in_variables(index.name) + part;
}

void add_passwords(Json& variables) {
  for (const NamedIndex& index : indexes_of_pod(variables))
    for (const char* part : {"_USERNAME", "_PASSWORD"}) {
      if (index.name.empty()) continue;
      const std::string variable = variable_of(index, part);
      if (!environment(variable.c_str()).empty()) variables[variable] = variable_for_job(variable);
    }
}

fs::path netrc_file() {
  const std::string file = environment("NETRC");
  return file.empty() ? fs::path(environment("HOME")) / ".netrc" : fs::path(file);
}

/// The hosts for which the user's .netrc has a login, which uv on this machine uses.
std::set<std::string> hosts_in_netrc() {
  constexpr size_t kLargestNetrc = size_t{1} << 20;
  std::set<std::string> hosts;
  std::istringstream words(read_file_if_exists(netrc_file(), kLargestNetrc).value_or(""));
  for (std::string word, value; words >> word;) {
    const bool has_value = word == "machine" || word == "login" || word == "password" || word == "account";
    if (has_value && words >> value && word == "machine") hosts.insert(value);
  }
  return hosts;
}

/// Says which logins pods on a cluster lack.
void note_netrc(const Json& variables, std::vector<std::string>& notes) {
  if (runs_for_agent()) return;
  const std::set<std::string> hosts = hosts_in_netrc();
  for (const NamedIndex& index : indexes_of_pod(variables)) {
    const std::string host = host_in(index.url);
    const bool has_password = contains(index.url, "@") || variables.contains(variable_of(index, "_PASSWORD"));
    if (has_password || !hosts.contains(http::host_of(index.url))) continue;
    notes.push_back(
        "pods on a cluster do not have the login for " + host + " in " + netrc_file().string() +
        "; give the index a name, as in UV_DEFAULT_INDEX=corp=URL, and set UV_INDEX_CORP_USERNAME "
        "and UV_INDEX_CORP_PASSWORD");
  }
}

void add_own(Json& variables) {
  for (const char* name : kIndexVariables)
    if (const std::string value = environment(name); !value.empty())
      variables[name] = contains(value, "@") ? variable_for_job(name) : value;  // a URL with a password
}

/// Adds words to the variable, after the user's own.
void append(Json& variables, const char* name, const std::vector<std::string>& words, const char* separator) {
  if (words.empty()) return;
  const std::string own = string_at(variables, {name});
  variables[name] = own + (own.empty() ? "" : separator) + join(words, separator);
}

/// Leaves out the folders of this machine, which pods on a cluster do not have.
void leave_out_folders(Json& variables, std::vector<std::string>& notes) {
  std::vector<std::string> kept, left_out;
  for (const std::string& place : split(string_at(variables, {"UV_FIND_LINKS"}), ','))
    if (!place.empty()) (contains(place, "://") ? kept : left_out).push_back(place);
  if (left_out.empty()) return;
  notes.push_back(
      "pods on a cluster do not have " + some_of(left_out) +
      ", where uv finds packages on this machine; --env UV_FIND_LINKS=/PATH names a folder of the pods");
  variables.erase("UV_FIND_LINKS");
  append(variables, "UV_FIND_LINKS", kept, ",");
}

}  // namespace

Indexes indexes_of_uv(const Json& uv, const fs::path& folder) {
  Indexes indexes;
  for (const std::string& url : strings_at(uv, "index-url")) indexes.first = settled(url, folder);
  for (const std::string& url : strings_at(uv, "extra-index-url"))
    indexes.more.push_back(settled(url, folder));
  for (const std::string& place : strings_at(uv, "find-links"))
    indexes.find_links.push_back(settled(place, folder));
  for (const Json& index : array_at(uv, {"index"})) add_index(indexes, index, folder);
  return indexes;
}

Indexes indexes_of_options(const std::vector<std::string>& options) {
  Indexes indexes;
  for (const std::string& option : options) {
    const size_t end = std::min(option.find_first_of(" ="), option.size());
    const std::string name = option.substr(0, end),
                      value(trim(option.substr(std::min(end + 1, option.size()))));
    if (name == "--index-url" || name == "-i") indexes.first = value;
    if (name == "--extra-index-url") indexes.more.push_back(value);
    if (name == "--find-links" || name == "-f") indexes.find_links.push_back(value);
  }
  return indexes;
}

Json index_variables(const Indexes& indexes, bool is_local, std::vector<std::string>& notes) {
  Json variables = {{"UV_INDEX_STRATEGY", "unsafe-best-match"}};  // safe, because the lock has hashes
  add_own(variables);
  if (!indexes.first.empty() && !variables.contains("UV_DEFAULT_INDEX") &&
      !variables.contains("UV_INDEX_URL"))
    variables["UV_DEFAULT_INDEX"] = indexes.first;
  append(variables, "UV_INDEX", indexes.more, " ");
  append(variables, "UV_FIND_LINKS", indexes.find_links, ",");
  if (!is_local) leave_out_folders(variables, notes);
  add_passwords(variables);
  if (!is_local) note_netrc(variables, notes);
  return variables;
}

std::string host_in(const std::string& url) {
  return contains(url, "://") ? http::host_with_port(url) : "";
}

std::string host_of_index(const Indexes& indexes) {
  for (const std::string& index :
       {environment("UV_DEFAULT_INDEX"), environment("UV_INDEX_URL"), indexes.first}) {
    if (std::string host = host_in(index); !host.empty()) return host;
  }
  return Uv::own_config().empty() ? "PyPI" : "your package index";
}

Json json_of(const Indexes& indexes) {
  return {{"first", indexes.first}, {"more", indexes.more}, {"findLinks", indexes.find_links}};
}

Indexes indexes_in(const Json& json) {
  return {string_at(json, {"first"}), strings_in(array_at(json, {"more"})),
          strings_in(array_at(json, {"findLinks"}))};
}

}  // namespace kml::packages
