#include "report/certificate.hpp"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include <octavo/pack.hpp>
#include <octavo/report.hpp>
#include <octavo/writer.hpp>

#include "catch.hpp"
#include "packed_fixture.hpp"
#include "report/summary.hpp"
#include "shared_data.hpp"
#include "support/hash.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// The digits, copied into `folder` and packed from there.
Dataset packed_copy(const TemporaryFolder& folder) {
  std::filesystem::create_directory(folder / "source");
  for (const auto& file : std::filesystem::directory_iterator(project_data("digits"))) {
    if (file.path().extension() == ".gz") std::filesystem::copy(file.path(), folder / "source");
  }
  const auto source = open_source({{folder / "source"}}, {});
  pack(*source, folder / "a.h5", {.replace_existing = true});
  return Dataset::open(folder / "a.h5");
}

/// Ten gray samples whose provenance has these notes.
void write_with_notes(const std::filesystem::path& path, const std::string& source_dtype, const std::string& notes) {
  PlainSplit split = random_split("train", 10, {1, 4, 4});
  WriterOptions options;
  options.splits = {{"train", split.shape, {}, Color::gray, 10, false, {}, source_dtype}};
  Writer writer(path, options);
  writer.write(0, 0, split.values, {});
  writer.finish("{\"notes\":" + notes + "}");
}

QuantizationCertificate certificate_of(const Dataset& dataset, const std::string& split) {
  return report::certify(dataset.split(split), report::origin_of(dataset, split));
}

}  // namespace

TEST_CASE("a dataset file is compared with its source by reading it again", "[unit][report]") {
  const TemporaryFolder folder;
  const Dataset dataset = packed_copy(folder);
  for (const char* split : {"train", "test"}) {
    const QuantizationCertificate certificate = certificate_of(dataset, split);
    REQUIRE(certificate.lossless);
    REQUIRE(certificate.compared_with == "the source, read again");
    REQUIRE(certificate.largest_error == std::vector<double>{0.0});
    REQUIRE(certificate.clipped_count == std::vector<std::int64_t>{0});
    REQUIRE_FALSE(certificate.psnr_db);
  }
  // The total size of the four files.
  std::int64_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder / "source")) {
    bytes += static_cast<std::int64_t>(file.file_size());
  }
  REQUIRE(report::bytes_of_files(report::origin_of(dataset, "train")) == bytes);
}

TEST_CASE("without its source a dataset file is compared with the stored digest", "[unit][report]") {
  const TemporaryFolder folder;
  const Dataset dataset = packed_copy(folder);
  std::filesystem::remove_all(folder / "source");
  const QuantizationCertificate certificate = certificate_of(dataset, "train");
  REQUIRE(certificate.lossless);
  REQUIRE(certificate.compared_with == "the digest stored at packing");
  REQUIRE_FALSE(report::bytes_of_files(report::origin_of(dataset, "train")));
}

TEST_CASE("the certificate of rounded values has the largest error and the PSNR", "[unit][report]") {
  const TemporaryFolder folder;
  const Dataset exact = packed_copy(folder);
  const auto source = open_source({{folder / "a.h5"}}, {});
  pack(*source, folder / "b.h5", {.compression = Compression::lc8, .max_error = 2});
  const Dataset rounded = Dataset::open(folder / "b.h5");
  const QuantizationCertificate certificate = certificate_of(rounded, "train");
  CHECK_FALSE(certificate.lossless);
  CHECK(certificate.largest_error == std::vector<double>{2.0});
  // The same by hand.
  const Split a = exact.split("train"), b = rounded.split("train");
  std::vector<std::int8_t> before(static_cast<std::size_t>(a.packed_bytes())), after(before.size());
  a.read(0, a.sample_count(), before);
  b.read(0, b.sample_count(), after);
  double squares = 0.0;
  for (std::size_t i = 0; i < before.size(); ++i) squares += std::pow(before[i] - after[i], 2);
  const double psnr = 10.0 * std::log10(255.0 * 255.0 * static_cast<double>(before.size()) / squares);
  REQUIRE(certificate.psnr_db);
  CHECK(std::abs(*certificate.psnr_db - psnr) < 1e-9);
  CHECK_THAT(report::certificate_text(certificate), ContainsSubstring("NOT lossless: differs from "));
  CHECK_THAT(report::certificate_text(certificate), ContainsSubstring("largest error 2, PSNR "));
  CHECK_THAT(recorded_loss(rounded, "train"), ContainsSubstring("largest error 2, PSNR "));
}

TEST_CASE("a digest that differs from the stored one gives no certificate", "[unit][report]") {
  const TemporaryFolder folder;
  const Dataset dataset = packed_copy(folder);
  report::Origin origin = report::origin_of(dataset, "train");
  REQUIRE(origin.digest == report::digest_of(dataset.split("train")));
  origin.files.clear();
  *origin.digest ^= 1;
  const QuantizationCertificate certificate = report::certify(dataset.split("train"), origin);
  REQUIRE_FALSE(certificate.lossless);
  REQUIRE(certificate.largest_error.empty());
}

TEST_CASE("a source that changed after packing is detected with the size of the error", "[unit][report]") {
  const TemporaryFolder folder;
  // One image of 2x2 in each of two IDX files: the second differs by 3 in one of four values.
  const auto write_idx = [&](std::uint8_t last) {
    const std::uint8_t bytes[] = {0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2, 10, 20, 30, last};
    std::ofstream(folder / "train-images-idx3-ubyte", std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes), sizeof bytes);
  };
  write_idx(40);
  const auto source = open_source({{folder / "train-images-idx3-ubyte"}}, {});
  pack(*source, folder / "a.h5");
  write_idx(43);
  const QuantizationCertificate certificate = certificate_of(Dataset::open(folder / "a.h5"), "train");
  REQUIRE_FALSE(certificate.lossless);
  REQUIRE(certificate.compared_with == "the source, read again");
  REQUIRE(certificate.largest_error == std::vector<double>{3.0});
  REQUIRE(certificate.mean_error == std::vector<double>{0.75});
  // 10 log10(255^2 / (9/4))
  REQUIRE(std::abs(certificate.psnr_db.value() - 44.609) < 0.001);
}

TEST_CASE("the digest is the sum of the seeded hashes of the samples", "[unit][report]") {
  const TemporaryFolder folder;
  const PlainSplit split = random_split("train", 1000, {3, 5, 7});
  write_packed(folder / "a.h5", {split});
  std::uint64_t expected = 0;
  for (std::uint64_t row = 0; row < 1000; ++row) {
    expected += XXH3_64bits_withSeed(split.values.data() + row * 105, 105, row);
  }
  const Dataset dataset = Dataset::open(folder / "a.h5");
  REQUIRE(report::digest_of(dataset.split("train")) == expected);
  REQUIRE(report::origin_of(dataset, "train").digest == expected);
}

TEST_CASE("a file without a digest is not compared", "[unit][report]") {
  const TemporaryFolder folder;
  write_packed(folder / "a.h5", {random_split("train", 10, {1, 2, 2})});
  const Dataset dataset = Dataset::open(folder / "a.h5");
  const QuantizationCertificate certificate = report::certify(dataset.split("train"), report::Origin{});
  REQUIRE_FALSE(certificate.lossless);
  REQUIRE_THAT(certificate.compared_with, ContainsSubstring("nothing"));
}

TEST_CASE("the quantization error is certified from the counts of packing", "[unit][report]") {
  const TemporaryFolder folder;
  // An IDX file of the floats 0, 0.5 and 60. The range 0 to 51 is covered in steps of 0.2.
  const char header[] = {0, 0, 13, 3, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 1};
  const char numbers[] = {0, 0, 0, 0, 0x3F, 0, 0, 0, 0x42, 0x70, 0, 0};
  std::ofstream file(folder / "a-idx3", std::ios::binary);
  file.write(header, sizeof header).write(numbers, sizeof numbers);
  file.close();
  SourceOptions options;
  options.range = {.kind = ValueRange::Kind::given, .low = 0.0, .high = 51.0};
  pack(*open_source({{folder / "a-idx3"}}, options), folder / "a.h5");
  const Dataset dataset = Dataset::open(folder / "a.h5");
  REQUIRE(dataset.split("train").source_dtype() == "float32");
  const QuantizationCertificate certificate = certificate_of(dataset, "train");
  REQUIRE_FALSE(certificate.lossless);
  REQUIRE_THAT(certificate.compared_with, ContainsSubstring("the source (float32), when it was packed"));
  // 60 became 51. 0.5 is two and a half steps and became two.
  REQUIRE(certificate.largest_error.at(0) == Approx(9.0));
  REQUIRE(certificate.mean_error.at(0) == Approx(0.5 * 0.2 / 3.0));
  REQUIRE(certificate.clipped_count.at(0) == 1);
}

TEST_CASE("quantized images that were resized are not compared with the source", "[unit][report]") {
  const TemporaryFolder folder;
  write_with_notes(folder / "a.h5", "uint16", R"({"size":"32x32","quantized train":{"samples":10,"channels":
    [{"largest_error":0.0,"mean_rounding":0.0,"clipped":0}]}})");
  const QuantizationCertificate certificate = certificate_of(Dataset::open(folder / "a.h5"), "train");
  CHECK(certificate.lossless);
  CHECK(report::certificate_text(certificate) ==
        "lossless with respect to the converted images that were packed (uint16, counted before resizing)");
}

TEST_CASE("a note that no sample was quantized proves nothing", "[unit][report]") {
  const TemporaryFolder folder;
  write_with_notes(folder / "a.h5", "uint8", R"({"quantized train":{"samples":0,"channels":
    [{"largest_error":0.0,"mean_rounding":0.0,"clipped":0}]}})");
  const Dataset dataset = Dataset::open(folder / "a.h5");
  report::Origin origin = report::origin_of(dataset, "train");
  CHECK(report::certify(dataset.split("train"), origin).compared_with == "the digest stored at packing");
  *origin.digest ^= 1;
  CHECK_FALSE(report::certify(dataset.split("train"), origin).lossless);
}
