// Labels of arrays: text, enumerations, missing labels, and arrays that cannot be labels.
#include <octavo/errors.hpp>
#include <octavo/pack.hpp>

#include "arrays/made_arrays.hpp"
#include "arrays/made_hdf5.hpp"
#include "catch.hpp"
#include "sources/made_files.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

using Classes = std::vector<std::int32_t>;
using Names = std::vector<std::string>;

/// Four images of 2 x 2 pixels.
void add_images(hid_t file, const std::string& name = "images") { add_with(counting(16), file, name, {4, 2, 2}); }

std::unique_ptr<Source> with_labels(const TemporaryFolder& folder, const std::function<void(hid_t)>& add_labels,
                                    const SourceOptions& options = {}) {
  return open(hdf5_in(folder,
                      [&](hid_t file) {
                        add_images(file);
                        add_labels(file);
                      }),
              options);
}

}  // namespace

TEST_CASE("labels that are text in HDF5 name the classes by the rule of all sources", "[unit][pack]") {
  const TemporaryFolder folder;
  const std::size_t width = GENERATE(std::size_t{0}, std::size_t{8});
  const auto texts = [&](const Names& labels, const SourceOptions& options = {}) {
    return with_labels(
        folder, [&](hid_t file) { add_texts(labels, file, "labels", width); }, options);
  };
  const auto animals = texts({"ox", "cat", "ox", "\xC3\xA4"});
  CHECK(animals->class_names() == Names{"cat", "ox", "\xC3\xA4"});
  CHECK(read_all(*animals).labels == Classes{1, 0, 1, 2});
  CHECK(packing_notes(*animals).empty());
  const auto digits = texts({"0", "10", "2", "10"});
  CHECK(digits->class_names().empty());
  CHECK(read_all(*digits).labels == Classes{0, 10, 2, 10});
  const auto given = texts({"ox", "cat", "ox", "cat"}, {.class_names = {"ox", "cat"}});
  CHECK(given->class_names() == Names{"ox", "cat"});
  CHECK(read_all(*given).labels == Classes{0, 1, 0, 1});
  CHECK_THROWS_WITH(texts({"ox", "", "ox", "?"}),
                    ContainsSubstring("\"a.h5:images#1\": its label is missing (\"\"); 1 more sample has none; ") &&
                        ContainsSubstring("`on_error=skip`"));
  CHECK_THROWS_WITH(texts({"ox", "1", "ox", "1"}),
                    ContainsSubstring("a.h5: labels\": the labels are both numbers and names") &&
                        ContainsSubstring("\"1\" (a.h5:images#1)"));
}

TEST_CASE("given classes of targets, or of another number of multi-labels, are refused", "[unit][pack]") {
  const TemporaryFolder folder;
  const std::vector<float> numbers = {0.5f, 1.0f, 2.0f, 3.0f};
  const std::string bytes(reinterpret_cast<const char*>(numbers.data()), 16);
  const auto floats = [&](hid_t file) { add_with(bytes, file, "labels", {4}, H5T_IEEE_F32LE); };
  const auto flags = [](hid_t file) { add_with(std::string("\0\1\1\0\1\1\0\0", 8), file, "labels", {4, 2}); };
  CHECK_THROWS_WITH(with_labels(folder, floats, {.class_names = {"a", "b"}}),
                    ContainsSubstring("/images\": the labels are targets, which have no classes; omit `classes`"));
  CHECK_THROWS_WITH(with_labels(folder, flags, {.class_names = {"a", "b", "c"}}),
                    ContainsSubstring("a label has 2 numbers, but `classes` has 3 names; name each class once"));
  CHECK(with_labels(folder, flags, {.class_names = {"a", "b"}})->class_names() == Names{"a", "b"});
}

TEST_CASE("text labels of several splits share their classes", "[unit][pack]") {
  const TemporaryFolder folder;
  const auto source = open(hdf5_in(folder, [&](hid_t file) {
    add_images(file, "x_train");
    add_texts({"a", "b", "c", "a"}, file, "y_train");
    add_images(file, "x_test");
    add_texts({"c", "c", "b", "c"}, file, "y_test");
  }));
  CHECK(source->class_names() == Names{"a", "b", "c"});
  CHECK(read_all(*source, 0).labels == Classes{0, 1, 2, 0});
  CHECK(read_all(*source, 1).labels == Classes{2, 2, 1, 2});
}

TEST_CASE("labels that are an enumeration have its numbers and names", "[unit][pack]") {
  const TemporaryFolder folder;
  const auto animals = enumeration_of({{"dog", 1}, {"cat", 0}, {"eel", 2}}),
             others = enumeration_of({{"a", 3}, {"b", 7}});
  const auto named = with_labels(folder, [&](hid_t file) {
    add_with(bytes_of_numbers<std::int32_t>({2, 0, 0, 1}), file, "labels", {4}, animals.get());
  });
  CHECK(read_all(*named).labels == Classes{2, 0, 0, 1});
  CHECK(named->class_names() == Names{"cat", "dog", "eel"});
  REQUIRE(packing_notes(*named).size() == 1);
  CHECK_THAT(packing_notes(*named)[0],
             ContainsSubstring("the classes are named by the enumeration \"") && ContainsSubstring("a.h5: labels\""));
  const auto unnamed = with_labels(folder, [&](hid_t file) {
    add_with(bytes_of_numbers<std::int32_t>({3, 7, 7, 3}), file, "labels", {4}, others.get());
  });
  CHECK(read_all(*unnamed).labels == Classes{3, 7, 7, 3});
  CHECK(unnamed->class_names().empty());
}

TEST_CASE("labels of any shape with one number per image are classes", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const Axes& axes : {Axes{4}, Axes{4, 1}, Axes{4, 1, 1}, Axes{4, 1, 1, 1}}) {
    const auto source = open(hdf5_in(folder, [&](hid_t file) {
      add_with(counting(16), file, "x", {4, 2, 2, 1});
      add_with(counting(4, 3), file, "y", axes);
    }));
    CHECK(read_all(*source).labels == Classes{3, 4, 5, 6});
  }
}

TEST_CASE("labels without a number are an error before packing or skipped samples", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "images.npy", npy("|u1", "4, 1, 2", counting(8)));
  write_file(folder / "labels.npy", npy("|i1", "4,", "\x02\xFF\x0A\xFF"));
  CHECK_THROWS_WITH(
      open(folder / "images.npy"),
      ContainsSubstring("read the sample \"images.npy#1\": its label is missing (-1); 1 more sample has none"));
  const auto source = open(folder / "images.npy", {.skip_unreadable = true});
  const Samples samples = read_all(*source);
  REQUIRE(samples.failures.size() == 2);
  CHECK(samples.failures[0].name == "images.npy#1");
  CHECK(samples.failures[0].reason == "its label is missing (-1)");
  CHECK(samples.failures[1].row == 3);
  CHECK(samples.labels[0] == 2);
  CHECK(samples.labels[2] == 10);
  CHECK(source->class_index(0, 0) == 2);
  CHECK_FALSE(source->class_index(0, 1));
  const auto summary = pack(*source, folder / "a.h5", {.skip_bad_samples = true});
  CHECK(summary.splits[0].sample_count == 2);
  CHECK(summary.skipped.size() == 2);
  // The same in an IDX file.
  write_file(folder / "x-images-idx3-ubyte", idx({2, 1, 2}, counting(4)));
  write_file(folder / "x-labels-idx1-ubyte", std::string("\0\0\x09\1\0\0\0\2\7\xFF", 10));
  CHECK_THROWS_WITH(open(folder / "x-images-idx3-ubyte"), ContainsSubstring("its label is missing (-1); add labels"));
}

TEST_CASE("an array that looks like labels and cannot be used is named with the reason", "[unit][pack]") {
  const TemporaryFolder folder;
  const auto note = [&](const std::function<void(hid_t)>& add_labels) {
    const auto notes = packing_notes(*with_labels(folder, add_labels));
    REQUIRE(notes.size() == 1);
    return notes[0];
  };
  const std::string start = "no labels in train: the labels \"labels\" cannot be used: ";
  CHECK(note([](hid_t file) { H5Lcreate_soft("/nowhere", file, "labels", H5P_DEFAULT, H5P_DEFAULT); }) ==
        start + "a soft link to /nowhere, which is missing");
  const hdf5::TypeHandle record(H5Tcreate(H5T_COMPOUND, 4));
  H5Tinsert(record.get(), "x", 0, H5T_STD_U32LE);
  CHECK(note([&](hid_t file) { add(file, "labels", {4}, record.get()); }) == start + "records");
  CHECK(note([](hid_t file) { add(file, "labels", {4, 2, 2, 2}); }) == start + "of shape 4 x 2 x 2 x 2");
  CHECK(note([](hid_t) {}) == "no labels in train: none found with the images");
  CHECK_THROWS_WITH(open_source({{folder / "a.h5", "", "images", "none"}}, {}), ContainsSubstring("there is no array"));
  hdf5_in(folder, [&](hid_t file) {
    add_images(file);
    add(file, "labels", {4}, record.get());
  });
  CHECK_THROWS_WITH(open_source({{folder / "a.h5", "", "images", "labels"}}, {}),
                    ContainsSubstring("the array \"labels\" cannot be used: records; name an array of numbers"));
  CHECK_THROWS_WITH(open_source({{folder / "a.h5", "", "labels"}}, {}), ContainsSubstring("cannot be used: records"));
}

TEST_CASE("labels and images behind links are read and other names of an array are not ambiguous", "[unit][pack]") {
  const TemporaryFolder folder;
  hdf5_in(
      folder, [](hid_t file) { add_with(counting(4, 5), file, "y", {4}); }, "b.h5");
  const auto source = open(hdf5_in(folder, [&](hid_t file) {
    add_images(file, "data/x");
    H5Lcreate_soft("/data/x", file, "images", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("b.h5", "/y", file, "labels", H5P_DEFAULT, H5P_DEFAULT);
  }));
  CHECK(read_all(*source).labels == Classes{5, 6, 7, 8});
  CHECK(source->files().size() == 2);
  REQUIRE(packing_notes(*source).size() == 1);
  CHECK_THAT(packing_notes(*source)[0], ContainsSubstring("a.h5: labels\" is an external link, and is read from \"") &&
                                            ContainsSubstring("b.h5\""));
}

TEST_CASE("class names in a text array are used if the labels are below their number", "[unit][pack]") {
  const TemporaryFolder folder;
  const auto named = [&](const Names& names) {
    return with_labels(folder, [&](hid_t file) {
      add_with(std::string("\2\0\1\2", 4), file, "labels", {4});
      add_texts(names, file, "class_names");
    });
  };
  const auto source = named({"a", "b", "c", "d"});
  CHECK(source->class_names() == Names{"a", "b", "c", "d"});
  CHECK_THAT(packing_notes(*source).at(0), ContainsSubstring("the classes are named by the array class_names in \""));
  for (const auto& [names, reason] :
       {std::pair<Names, std::string>{{"a", "b"}, "it has 2 names, but the labels go up to 2"},
        {{"a", "b", "a"}, "some are equal"},
        {{"a", "b", " "}, "one is empty"},
        {{"a", "b", "\xFF"}, "one is not UTF-8"}}) {
    const auto unnamed = named(names);
    CHECK(unnamed->class_names().empty());
    CHECK_THAT(packing_notes(*unnamed).at(0),
               ContainsSubstring("the classes are not named by the array class_names") && ContainsSubstring(reason));
  }
}

TEST_CASE("class names that cannot be read are noted and do not stop packing", "[unit][pack]") {
  const TemporaryFolder folder;
  const auto source = with_labels(folder, [&](hid_t file) {
    add_with(std::string("\0\1\0\1", 4), file, "labels", {4});
    const hdf5::TypeHandle type(H5Tcopy(H5T_C_S1));
    add_with("abcd", file, "names", {2, 2}, type.get());  // two texts for each class
  });
  CHECK(source->class_names().empty());
  CHECK_THAT(packing_notes(*source).at(0), ContainsSubstring("the classes are not named by the array names in \"") &&
                                               ContainsSubstring("it is not a list of texts"));
  const auto long_names = with_labels(folder, [&](hid_t file) {
    add_with(std::string("\0\1\0\1", 4), file, "labels", {4});
    add_texts({std::string(2000, 'a'), "b"}, file, "names");
  });
  CHECK(long_names->class_names().empty());
  CHECK_THAT(packing_notes(*long_names).at(0), ContainsSubstring("has texts of more than 1024 bytes"));
}
