#include "local/controllers/master_port.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <random>
#include <set>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

constexpr int kFirst = 20'000, kLast = 32'000;

bool is_free(int port) {
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  return fd && ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

int find_free_port(const std::set<int>& taken) {
  std::random_device random;
  std::uniform_int_distribution<int> ports(kFirst, kLast);
  for (int attempt = 0; attempt < 1000; ++attempt)
    if (int port = ports(random); !taken.contains(port) && is_free(port)) return port;
  throw Error(ErrorCode::failure, "cannot find a free TCP port", "all ports that were tried are in use");
}

namespace {

std::string subdomain_of(const Json& job) {
  return string_at(api::pod_spec_of(job), {"subdomain"});
}

/// Whether the host is the name of a pod, such as "bert-0.bert", with or without the rest of the domain.
bool names_a_pod(std::string_view host, const Json& job) {
  const std::string prefix = name_of(job) + "-";
  if (!host.starts_with(prefix)) return false;
  host.remove_prefix(prefix.size());
  const size_t digits = host.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos) return false;
  host.remove_prefix(digits);
  const std::string domain = "." + subdomain_of(job);
  return host == domain || host.starts_with(domain + "." + namespace_of(job));
}

}  // namespace

int choose_master_port(const Store& store) {
  std::set<int> taken;
  for (const api::ResourceKind* kind : {&kinds::job, &kinds::pytorchjob})
    for (const ObjectPtr& other : store.list(*kind, ""))
      if (!is_finished(*other)) taken.insert(std::atoi(annotation_of(*other, kMasterPort).c_str()));
  return find_free_port(taken);
}

bool has_named_pods(const Json& job) {
  return api::is_indexed(job) && !subdomain_of(job).empty();
}

void meet_on_loopback(Json& pod, const Json& job) {
  api::visit_containers(pod["spec"], [&](Json& container) {
    for (Json& variable : api::part_in(container, "env")) {
      const std::string name = api::entry_name(variable);
      if (names_a_pod(api::value_of(variable), job)) variable["value"] = "127.0.0.1";
      if (name == "MASTER_PORT" || name == "PET_MASTER_PORT")
        variable["value"] = annotation_of(job, kMasterPort);
    }
  });
}

}  // namespace kml::local
