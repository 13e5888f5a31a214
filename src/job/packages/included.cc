#include "job/packages/included.h"

#include <filesystem>
#include <functional>
#include <set>
#include <utility>

#include "kml/net/fetch/text_at.h"
#include "kml/net/http/waiting_transport.h"

namespace kml::packages {

namespace fs = std::filesystem;

namespace {

constexpr size_t kLargestList = size_t{4} << 20;

/// Follows includes, each place once as requirements and once as constraints.
class Inclusion {
 public:
  using Read = std::function<RequirementLines(const std::string& place)>;

  explicit Inclusion(Read read) : read_(std::move(read)) {}

  void follow(const std::vector<std::string>& options, bool are_constraints) {
    for (const std::string& option : options)
      if (const std::string place = included_place(option); !place.empty())
        take(place, are_constraints || option.starts_with("-c"));
  }

  void take(const std::string& place, bool are_constraints) {
    if (!taken_.insert({place, are_constraints}).second) return;
    RequirementLines lines = read_(place);
    const std::vector<std::string> options = lines.options;
    lists_.push_back({place, are_constraints, std::move(lines)});
    follow(options, are_constraints);
  }

  std::vector<Included> lists() && { return std::move(lists_); }

 private:
  Read read_;
  std::vector<Included> lists_;
  std::set<std::pair<std::string, bool>> taken_;
};

RequirementLines read_file_of(const std::string& place) {
  if (is_http_url(place)) return {};
  const std::string file = fs::path(place).lexically_normal();
  return read_requirements(file, file);
}

RequirementLines read_url(const std::string& place) {
  const auto make_transport = [](http::Endpoint endpoint) {
    return http::make_waiting_transport(std::move(endpoint), "getting a list of packages");
  };
  return requirements_at(place, fetch::text_at(place, kLargestList, make_transport));
}

}  // namespace

std::vector<Included> included_in(const Requested& requested) {
  Inclusion inclusion(read_file_of);
  inclusion.follow(requested.options, false);
  return std::move(inclusion).lists();
}

std::vector<Included> lists_at(const Included& url) {
  Inclusion inclusion(read_url);
  inclusion.take(url.place, url.are_constraints);
  return std::move(inclusion).lists();
}

}  // namespace kml::packages
