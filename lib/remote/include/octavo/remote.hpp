// Reads dataset files over HTTP and from object stores.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <octavo/byte_source.hpp>
#include <octavo/cached_source.hpp>
#include <octavo/dataset.hpp>

namespace octavo::remote {

/// How a remote file is read. Credentials are not among these options: they come from the environment (see
/// open_source()), so that they do not get into states and logs.
struct SourceOptions {
  /// URL of the service for s3:// and gs://, such as that of MinIO; empty: that of the environment, or of the provider.
  std::string endpoint = {};
  /// Region of an S3 bucket; empty: that of the environment, or us-east-1.
  std::string region = {};
  /// Sends no credentials: for public buckets.
  bool is_anonymous = false;

  // What changes only speed, memory, or how soon an attempt is given up.

  /// Requests at a time, at most; 0: adapted to the measured throughput, from 4 to 256.
  int most_requests_in_flight = 0;
  /// Attempts for each request, at least 1. Between them is a random wait that gets longer.
  int attempts = 5;
  /// Upper limit of the wait before the second attempt; it doubles before each further one, up to 20 s.
  int first_wait_ms = 200;
  /// An attempt is given up without a connection for this long.
  int connect_seconds = 10;
  /// An attempt is given up after less than 1 KiB per second for this long.
  int stall_seconds = 30;
  /// Host memory for bytes that were requested before they are read.
  std::int64_t most_kept_bytes = std::int64_t{256} << 20;
  /// Keeps what is read on a local disk, for later epochs and processes; see cached(). Without a folder: no cache.
  CacheOptions cache = {};
};

/// Whether open_source() accepts this location: a URL with http, https, s3 or gs.
bool is_url(std::string_view location);

/// The location for messages and results: a URL without user, password, query and fragment, which may be secret.
std::string shown_location(std::string_view location);

/// Opens a file over HTTP (http:// and https://), from S3 or a compatible object store (s3://BUCKET/KEY) or from Google
/// Cloud Storage (gs://BUCKET/KEY). Sends one request, for the beginning of the file.
///
/// Credentials, unless `options.is_anonymous`: for http and https, user:password@ in the URL. For s3,
/// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, else those of the profile AWS_PROFILE in
/// ~/.aws/credentials and ~/.aws/config, else those of a role: AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN,
/// AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI, or, for buckets of Amazon, the role of the instance of EC2,
/// unless AWS_EC2_METADATA_DISABLED=true. Keys of roles are replaced before they expire. Without any, or with
/// AWS_NO_SIGN_REQUEST, requests are not signed. For gs, the token
/// GOOGLE_OAUTH_ACCESS_TOKEN, else the HMAC key GS_ACCESS_KEY_ID and GS_SECRET_ACCESS_KEY.
///
/// The source is thread-safe, and usable in a child of fork(). It reads one version of the file: once the file has
/// changed, each read throws IoError. Certificates of TLS servers are always verified; SSL_CERT_FILE and
/// CURL_CA_BUNDLE name a file of authorities.
///
/// Throws InvalidArgument for a location that is not such a URL, IoError if the file cannot be read, and Unavailable in
/// a build without libcurl. Messages have neither credentials nor the query of the URL.
std::shared_ptr<const ByteSource> open_source(const std::string& url, const SourceOptions& options = {});

/// The bytes of a dataset, for those who read more of it than Dataset shows.
struct DatasetBytes {
  std::shared_ptr<const ByteSource> source;  ///< of the dataset file, or of the manifest
  ShardOpener open_shard;                    ///< opens the files of a manifest; empty: `source` is a dataset file
};

/// Opens the bytes of the dataset that a URL names. Throws like open_source().
DatasetBytes open_bytes(const std::string& url, const SourceOptions& options = {});

/// Opens a dataset: the URL of a dataset file, of the manifest (dataset.json) of a dataset of several files, or of the
/// folder of one, with '/' at its end. The files of a dataset share connections. Any other location goes to
/// Dataset::open(). Throws like both.
Dataset open_dataset(const std::string& location, const SourceOptions& options = {});

}  // namespace octavo::remote
