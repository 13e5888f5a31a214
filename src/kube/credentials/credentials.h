#pragma once

#include "kml/http/transport.h"
#include "kube/kubeconfig/kubeconfig_files.h"

namespace kml::kube {

/// The text of a PEM that stands in the stanza as base64 under `key`-data, or in the file named under `key`.
/// Empty where neither is set. Throws usage Error where both are, or it cannot be read. `owner` as in
/// "user \"ana\"".
std::string pem_of(const Stanza& stanza, const std::string& key, const std::string& owner);

/// Gives what the PEM file holds now, which something else may renew.
std::function<std::string()> renewed_pem(const std::filesystem::path& file);
/// The same for the file named under `key`; empty where there is none.
std::function<std::string()> renewed_pem(const Stanza& stanza, const std::string& key);

/// Puts what a user stanza says into the endpoint, which holds what its cluster says. Throws usage Error
/// where it contradicts itself, or asks for a sort of credential that kml cannot use.
void apply_user(const Stanza& user, const std::string& name, const Stanza& cluster, http::Endpoint& endpoint);

/// Puts the token of a file into the endpoint.
void apply_token_file(const std::filesystem::path& file, http::Endpoint& endpoint);

}  // namespace kml::kube
