#include <octavo/report_page.hpp>

#include <octavo/errors.hpp>
#include <octavo/pack.hpp>
#include <octavo/writer.hpp>

#include "catch.hpp"
#include "packed_fixture.hpp"
#include "report/page/html.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

std::string page_of(const std::filesystem::path& path, const ReportPageOptions& options = {}) {
  const Dataset dataset = Dataset::open(path);
  return to_html(dataset, measure_report(dataset, {.device = Device::cpu(), .batch_size = 16}), options);
}

std::int64_t count_of(const std::string& text, const std::string& what) {
  std::int64_t count = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("the page shows each class and what looks wrong", "[unit][report]") {
  const TemporaryFolder folder;
  PlainSplit train = random_split("train", 300, {3, 80, 60}, 1), test = random_split("test", 20, {3, 80, 60}, 2);
  const auto width = train.shape.values();
  std::copy_n(train.values.begin() + 7 * width, width, test.values.begin() + 17 * width);
  std::fill_n(test.values.begin() + 5 * width, width, std::uint8_t{9});
  write_packed(folder / "a.h5", {train, test});
  const std::string page = page_of(folder / "a.h5");
  CHECK_THAT(page, ContainsSubstring("<strong>error:</strong> 1 image is in more than one split."));
  CHECK_THAT(page, ContainsSubstring("train #7 = test #17"));
  CHECK_THAT(page, ContainsSubstring("1 sample of test has one value in every pixel.") &&
                       ContainsSubstring("<figcaption>test #5</figcaption>"));
  CHECK_THAT(page, ContainsSubstring("<dt>Problems</dt><dd><span class=\"warn\">2</span>"));
  for (int label = 0; label < 10; ++label) {
    CHECK_THAT(page, ContainsSubstring("<th scope=\"row\">class " + std::to_string(label) + "</th>"));
  }
  CHECK_THAT(page, !ContainsSubstring("too small to measure"));
  // Ten classes, the two equal images, the blank one, darkest, brightest, and the mean image.
  CHECK(count_of(page, "<img ") == 16);
  CHECK(count_of(page, "data:image/png;base64,") == 16);
  // Needs neither scripts nor the network.
  CHECK(count_of(page, "<script") == 0);
  CHECK(count_of(page, "http") == 0);
  CHECK(count_of(page, "url(") == 0);
}

TEST_CASE("names cannot add markup to the page", "[unit][report]") {
  const TemporaryFolder folder;
  WriterOptions options;
  options.class_names = {"<b>a</b>", "x\" onload=\"y"};
  options.splits = {{"train", {1, 4, 4}, {LabelKind::class_index, 1}, Color::gray, 2, true, {}, "<s>x</s>"}};
  Writer writer(folder / "a.h5", options);
  std::vector<std::uint8_t> values(32, 3);
  const std::vector<std::int32_t> labels = {0, 1};
  writer.write(0, 0, values, std::as_bytes(std::span(labels)), std::vector<std::string>{"<i>.png", "\xff.png"});
  writer.finish("{}");
  const std::string page = page_of(folder / "a.h5", {.loaders = {{"<u>", 100}}});
  CHECK_THAT(page, ContainsSubstring("&lt;b&gt;a&lt;/b&gt;") && ContainsSubstring("x&quot; onload=&quot;y") &&
                       ContainsSubstring("&lt;i&gt;.png") && ContainsSubstring("&lt;u&gt;") &&
                       ContainsSubstring("the source was &lt;s&gt;x"));
  CHECK_THAT(page, !ContainsSubstring("<b>") && !ContainsSubstring("<i>.png") && !ContainsSubstring("<u>") &&
                       !ContainsSubstring("<s>"));
  CHECK_THAT(page, ContainsSubstring("\\xFF.png"));  // not UTF-8: shown escaped
}

TEST_CASE("every table of the page can be scrolled on a narrow screen", "[unit][report]") {
  const TemporaryFolder folder;
  write_packed(folder / "a.h5", {random_split("train", 4, {1, 4, 4})});
  const std::string page = page_of(folder / "a.h5");
  const auto count_of = [&](const std::string& text) {
    int count = 0;
    for (std::size_t at = page.find(text); at != std::string::npos; at = page.find(text, at + 1)) ++count;
    return count;
  };
  CHECK(count_of("<table") > 1);
  CHECK(count_of("<table") == count_of("<div class=\"scroll\"><table"));
}

TEST_CASE("the page shows masks in color with the shares of their classes", "[unit][report]") {
  const TemporaryFolder folder;
  PlainSplit split = masked_split("train", 20, {1, 40, 40});
  split.label_width = 0;
  split.labels.clear();
  for (std::size_t i = 0; i < split.masks.size(); ++i)
    split.masks[i] = i % 4 == 0 ? std::uint8_t{255} : std::uint8_t{3};
  write_packed(folder / "a.h5", {split});
  const std::string page = page_of(folder / "a.h5");
  CHECK_THAT(page, ContainsSubstring("masks, 1 class</td>") && ContainsSubstring("<h3>Masks</h3>") &&
                       ContainsSubstring(" 3</th><td>75.0 %</td>") &&
                       ContainsSubstring(" 255 ignored</th><td>25.0 %</td>"));
  // 20 x (1 + 1) x 1,600 bytes as int8, and 20 x (4 + 1) x 1,600 as float32.
  CHECK_THAT(page, ContainsSubstring("<dt>In memory</dt><dd>62.5 KiB<small>float32: 156.2 KiB"));
  CHECK_THAT(page, !ContainsSubstring("<td>none</td>"));
  CHECK_THAT(page, ContainsSubstring("too small to measure memory well: pages of 4 KiB"));
}

TEST_CASE("the page shows a histogram of each target", "[unit][report]") {
  const TemporaryFolder folder;
  WriterOptions options;
  options.splits = {{"train", {1, 4, 4}, {LabelKind::target, 2}, Color::gray, 3, false}};
  Writer writer(folder / "a.h5", options);
  std::vector<std::uint8_t> values(48, 7);
  const std::vector<float> targets = {1, -2, 2, -2, 6, -2};
  writer.write(0, 0, values, std::as_bytes(std::span(targets)));
  writer.finish("{}");
  const std::string page = page_of(folder / "a.h5");
  CHECK_THAT(page, ContainsSubstring("<h3>Target 0 of train</h3>") &&
                       ContainsSubstring("<span>1</span><span>6</span>") && ContainsSubstring("mean 3<"));
  CHECK_THAT(page, ContainsSubstring("<h3>Target 1 of train</h3>") && ContainsSubstring("mean -2<"));
}

TEST_CASE("a report of another dataset is refused", "[unit][report]") {
  const TemporaryFolder folder;
  write_packed(folder / "a.h5", {random_split("train", 4, {1, 4, 4})});
  const Dataset dataset = Dataset::open(folder / "a.h5");
  MemoryReport report = measure_report(dataset, {.device = Device::cpu(), .batch_size = 2});
  report.split = "test";
  CHECK_THROWS_AS(to_html(dataset, report), InvalidArgument);
  CHECK_THROWS_WITH(to_html(dataset, report), ContainsSubstring("no split \"test\""));
}

TEST_CASE("a data URI has the bytes in base64", "[unit][report]") {
  // RFC 4648, section 10.
  const auto uri_of = [](const std::string& text) { return report::page::data_uri(std::as_bytes(std::span(text))); };
  CHECK(uri_of("") == "data:image/png;base64,");
  CHECK(uri_of("f") == "data:image/png;base64,Zg==");
  CHECK(uri_of("fo") == "data:image/png;base64,Zm8=");
  CHECK(uri_of("foob") == "data:image/png;base64,Zm9vYg==");
  CHECK(uri_of("foobar") == "data:image/png;base64,Zm9vYmFy");
}

TEST_CASE("the page shows samples with more than 65,535 pixels on a side", "[unit][report]") {
  const TemporaryFolder folder;
  write_packed(folder / "a.h5", {random_split("train", 2, {1, 2, 70000})});
  // 56x1 pixels and a line around them.
  CHECK_THAT(page_of(folder / "a.h5"), ContainsSubstring("<img width=\"58\" height=\"3\" alt=\"mean image"));
  write_packed(folder / "b.h5", {random_split("train", 2, {3, 131071, 1})});
  CHECK_THAT(page_of(folder / "b.h5"), ContainsSubstring("<img width=\"3\" height=\"58\" alt=\"mean image"));
}
