#pragma once

#include <string_view>

namespace kml::api {

/// The fields of the kinds that the embedded server stores, from the OpenAPI of Kubernetes kFieldsVersion
/// (see tests/recorded/kubernetes/tables.py) and the training operator's v1. Types are: s string, y base64, i
/// integer, b boolean, q quantity, n integer or string, * anything, [T] list, {T} map; other words are names
/// of types. Fields that the server ignores have the type "*". The last types are for files of clients, from
/// client-go 0.36: clientcmd/api/v1, pkg/apis/clientauthentication/v1, kubectl/pkg/config/v1beta1.
std::string_view field_table();

}  // namespace kml::api
