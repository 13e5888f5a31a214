#include "job/spec/values.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "kml/base/flag_duration.h"
#include "kml/base/text.h"
#include "kml/job/spec/gpu_types.h"
#include "kml/kube/objects/names.h"
#include "kml/kube/objects/typed_amount.h"

namespace kml::spec {

namespace {

std::string cited(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

bool has_part(std::string_view path, std::string_view part) {
  const std::vector<std::string> parts = split(path, '/');
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

}  // namespace

std::variant<int, std::string> parse_count(std::string_view text, int least) {
  int count = 0;
  auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (text.empty() || status != std::errc() || end != text.data() + text.size())
    return cited(text) + " is not a whole number";
  if (count < least) return cited(text) + " is less than " + std::to_string(least);
  return count;
}

Parsed<Gpus> parse_gpus(std::string_view text) {
  const size_t colon = text.rfind(':');
  const std::string_view type = colon == std::string_view::npos ? "" : text.substr(0, colon);
  const std::string_view number = colon == std::string_view::npos ? text : text.substr(colon + 1);
  if (colon == 0) return cited(text) + " has no type before \":\"";
  if (std::string problem = gpu_type_problem(type); !problem.empty()) return problem;
  if (!number.empty() && number.find_first_not_of("0123456789.") == std::string_view::npos &&
      number.find('.') != std::string_view::npos)
    return cited(number) +
           " is not a whole number: Kubernetes assigns only whole GPUs; request a slice by its profile, as "
           "in mig-1g.5gb:1";
  if (colon == std::string_view::npos && number.find_first_not_of("0123456789") != std::string_view::npos &&
      number[0] != '-' && gpu_type_problem(number).empty())
    return cited(text) + " has no number: write " + std::string(text) + ":1";
  if (colon == std::string_view::npos && !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])))
    return cited(text) + " is neither a number of GPUs nor a GPU type with a number: write 2, or a100:4";
  auto count = parse_count(number, 0);
  if (auto* problem = std::get_if<std::string>(&count)) return *problem;
  return Gpus{std::string(type), std::get<int>(count)};
}

std::string absolute_path_problem(std::string_view path) {
  if (!path.starts_with('/')) return "path " + cited(path) + " must be absolute";
  if (path.find(':') != std::string_view::npos) return "path " + cited(path) + " may not contain \":\"";
  return has_part(path, "..") ? "path " + cited(path) + " may not contain \"..\"" : "";
}

std::string plain_mount_path(std::string_view path) {
  std::string plain;
  for (const std::string& part : split(path, '/'))
    if (!part.empty() && part != ".") plain += "/" + part;
  return plain.empty() ? "/" : plain;
}

namespace {

constexpr std::pair<std::string_view, Mount::Kind> kMountKinds[] = {
    {"pvc/", Mount::Kind::pvc},       {"host/", Mount::Kind::host},
    {"secret/", Mount::Kind::secret}, {"configmap/", Mount::Kind::config_map},
    {"nfs/", Mount::Kind::nfs},       {"image/", Mount::Kind::image},
    {"new/", Mount::Kind::new_claim}};

/// NAME[/SUB]
std::string settle_object(Mount& mount) {
  const size_t slash = mount.source.find('/');
  if (slash != std::string::npos) {
    mount.sub_path = mount.source.substr(slash + 1);
    mount.source.resize(slash);
  }
  if (has_part(mount.sub_path, "..")) return "folder " + cited(mount.sub_path) + " may not contain \"..\"";
  const std::string problem = api::dns_subdomain_problem(mount.source);
  return problem.empty() ? "" : "name " + cited(mount.source) + " " + problem;
}

/// HOST/DIR
std::string settle_nfs(Mount& mount) {
  const size_t slash = std::min(mount.source.find('/'), mount.source.size());
  mount.sub_path = mount.source.substr(slash);
  mount.source.resize(slash);
  if (mount.sub_path.size() < 2) return "nfs/" + mount.source + " names no folder: write nfs/HOST/DIR";
  if (std::string problem = absolute_path_problem(mount.sub_path); !problem.empty()) return problem;
  const std::string problem = api::dns_subdomain_problem(mount.source);
  return problem.empty() ? "" : "host " + cited(mount.source) + " " + problem;
}

std::string settle_image(Mount& mount) {
  const bool is_fine = !mount.source.empty() && mount.source.find_first_of(" \t\r\n") == std::string::npos;
  mount.read_only = true;
  return is_fine ? "" : cited(mount.source) + " is not a valid image name";
}

/// SIZE[:CLASS]
std::string settle_new_claim(Mount& mount) {
  const size_t colon = std::min(mount.source.find(':'), mount.source.size());
  if (colon < mount.source.size()) {
    mount.storage_class = mount.source.substr(colon + 1);
    if (std::string problem = api::dns_subdomain_problem(mount.storage_class); !problem.empty())
      return "storage class " + cited(mount.storage_class) + " " + problem;
  }
  mount.source.resize(colon);
  if (std::string problem = api::bytes_problem(mount.source); !problem.empty())
    return cited(mount.source) + " " + problem;
  return mount.read_only ? "a new claim is empty, so \":ro\" makes no sense" : "";
}

std::string settle_host(Mount& mount) {
  if (!mount.source.starts_with('/')) mount.source.insert(0, 1, '/');
  return absolute_path_problem(mount.source);
}

std::string settle_source(Mount& mount) {
  switch (mount.kind) {
    case Mount::Kind::host: return settle_host(mount);
    case Mount::Kind::nfs: return settle_nfs(mount);
    case Mount::Kind::image: return settle_image(mount);
    case Mount::Kind::new_claim: return settle_new_claim(mount);
    case Mount::Kind::here: return {};
    default: return settle_object(mount);
  }
}

}  // namespace

Parsed<Mount> parse_mount(std::string_view text) {
  // The source may contain colons: in an image's name, or in a new claim. The path is absolute, so it follows
  // the first ":/".
  const size_t colon = std::min(text.find(":/"), text.find(':') == text.npos ? text.npos : text.rfind(':'));
  if (colon == text.npos) return cited(text) + " is not of the form SOURCE:/path or SOURCE:/path:ro";
  const std::string source(text.substr(0, colon));
  const std::vector<std::string> parts = split(text.substr(colon + 1), ':');
  if (parts.size() > 2 || (parts.size() == 2 && parts[1] != "ro" && parts[1] != "rw"))
    return cited(text) + " is not of the form SOURCE:/path or SOURCE:/path:ro";
  const auto* kind = std::find_if(std::begin(kMountKinds), std::end(kMountKinds),
                                  [&](const auto& known) { return source.starts_with(known.first); });
  const bool is_here = source.starts_with('/') || source.starts_with('.');
  if (kind == std::end(kMountKinds) && !is_here)
    return cited(source) +
           " is not a source: write pvc/NAME, host/DIR, secret/NAME, configmap/NAME, nfs/HOST/DIR, "
           "image/IMAGE "
           "or new/SIZE, or ./DIR for a folder on this machine";
  Mount mount;
  mount.kind = is_here ? Mount::Kind::here : kind->second;
  mount.source = is_here ? source : source.substr(kind->first.size());
  mount.path = parts[0];
  mount.read_only = parts.size() == 2 && parts[1] == "ro";
  if (std::string problem = settle_source(mount); !problem.empty()) return problem;
  if (std::string problem = absolute_path_problem(mount.path); !problem.empty()) return problem;
  mount.path = plain_mount_path(mount.path);
  if (mount.path == "/") return "\"/\" cannot be a mount's path";
  return mount;
}

Parsed<Mount> parse_env_store(std::string_view text) {
  constexpr std::string_view kAnyPath = ":/environments";
  if ((!text.starts_with("pvc/") && !text.starts_with("host/")) || text.find(':') != std::string_view::npos)
    return cited(text) + " is not a volume for environments: write pvc/NAME, pvc/NAME/SUB or host/DIR";
  return parse_mount(std::string(text) + std::string(kAnyPath));
}

Parsed<Array> parse_array(std::string_view text) {
  const size_t percent = std::min(text.find('%'), text.size());
  auto numbers = TaskNumbers::parse(text.substr(0, percent));
  if (auto* problem = std::get_if<std::string>(&numbers)) return *problem;
  Array array{std::get<TaskNumbers>(std::move(numbers)), 0};
  array.parallel = array.numbers.count();
  if (percent == text.size()) return array;
  auto parallel = parse_count(text.substr(percent + 1), 1);
  if (auto* problem = std::get_if<std::string>(&parallel)) return *problem;
  array.parallel = std::min(std::get<int>(parallel), array.parallel);
  return array;
}

Parsed<Json> parse_toleration(std::string_view text) {
  if (text == "*") return Json{{"operator", "Exists"}};
  const std::vector<std::string> effects = {"NoSchedule", "PreferNoSchedule", "NoExecute"};
  Json toleration = Json::object();
  std::string_view taint = text;
  if (const size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    const std::string effect(text.substr(colon + 1));
    if (std::find(effects.begin(), effects.end(), effect) == effects.end()) {
      const std::string guess = did_you_mean(effect, effects);
      return "unknown effect " + cited(effect) + "; " +
             (guess.empty() ? "one of " + join(effects, ", ") : guess);
    }
    toleration["effect"] = effect;
    taint = text.substr(0, colon);
  }
  const size_t equals = taint.find('=');
  const std::string key(taint.substr(0, equals));
  if (std::string problem = api::label_key_problem(key); !problem.empty())
    return "key " + cited(key) + " " + problem;
  const bool has_value = equals != std::string_view::npos;
  toleration.update({{"key", key}, {"operator", has_value ? "Equal" : "Exists"}});
  if (has_value) toleration["value"] = taint.substr(equals + 1);
  return toleration;
}

std::pair<std::string, std::string> key_and_value(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) return {};
  return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

std::string duration_problem(const std::string& text) {
  const std::string meant = with_each_unit(text);
  return meant.empty() ? "is not a duration; write 90s, 15m, 2h30m or 7d" : "has no unit; write " + meant;
}

std::string env_name_problem(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '-' ||
           c == '.';
  };
  const bool is_fine =
      !name.empty() && !(name[0] >= '0' && name[0] <= '9') && std::all_of(name.begin(), name.end(), fits);
  return is_fine ? ""
                 : "variable " + cited(name) +
                       " may contain only letters, digits, \"_\", \"-\" and \".\", and may not start with a "
                       "digit";
}

}  // namespace kml::spec
