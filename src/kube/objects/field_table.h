#pragma once

#include <string_view>

namespace kml::api {

/// The fields of the kinds that the embedded server stores, from the OpenAPI of Kubernetes 1.34 and the
/// training operator's v1. Types are: s string, y base64, i integer, b boolean, q quantity, n integer or
/// string, * anything, [T] list, {T} map; other words are names of types. A field that the server ignores has
/// the type "*". The last types describe files of clients, as in client-go 0.36: clientcmd/api/v1,
/// pkg/apis/clientauthentication/v1 and kubectl/pkg/config/v1beta1.
std::string_view field_table();

}  // namespace kml::api
