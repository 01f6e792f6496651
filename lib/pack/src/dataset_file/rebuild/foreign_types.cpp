#include "dataset_file/rebuild/foreign_types.hpp"

#include <cstdint>

#include "hdf5/session.hpp"

namespace octavo::dataset_file {
namespace {

using hdf5::check;
using hdf5::own;

constexpr int kMostValueNames = 65536;

/// IEEE 754 binary16, as in NumPy; bfloat16 and others have the same size.
bool is_half(hid_t type) {
  std::size_t sign = 0, exponent = 0, exponent_bits = 0, mantissa = 0, mantissa_bits = 0;
  check(H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits), "look at a type");
  return sign == 15 && exponent == 10 && exponent_bits == 5 && mantissa == 0 && mantissa_bits == 10 &&
         H5Tget_ebias(type) == 15;
}

hdf5::TypeHandle base_of(hid_t type) { return own<hdf5::TypeHandle>(H5Tget_super(type), "look at a type"); }

/// The number of one member of an enumeration of at most 8 bytes; -1 if it cannot be converted.
std::int64_t member_value(hid_t type, hid_t base, unsigned index) {
  std::int64_t value = 0;
  check(H5Tget_member_value(type, index, &value), "look at a type");
  return H5Tconvert(base, H5T_NATIVE_INT64, 1, &value, nullptr, H5P_DEFAULT) < 0 ? -1 : value;
}

/// The names of the members by their numbers, if these are 0, 1, ...
std::vector<std::string> all_value_names(hid_t type) {
  const int count = check(H5Tget_nmembers(type), "look at a type");
  if (count < 1 || count > kMostValueNames || H5Tget_size(type) > 8) return {};
  const auto base = base_of(type);
  std::vector<std::string> names(static_cast<std::size_t>(count));
  std::vector<bool> is_named(names.size());
  for (unsigned i = 0; i < names.size(); ++i) {
    const std::int64_t value = member_value(type, base.get(), i);
    if (value < 0 || value >= count || is_named[static_cast<std::size_t>(value)]) return {};
    char* const name = H5Tget_member_name(type, i);
    if (name == nullptr) return {};
    names[static_cast<std::size_t>(value)] = name;
    is_named[static_cast<std::size_t>(value)] = true;
    H5free_memory(name);
  }
  return names;
}

bool is_numpy_bool(hid_t type) {
  return H5Tget_size(type) == 1 && all_value_names(type) == std::vector<std::string>{"FALSE", "TRUE"};
}

/// As h5py and MATLAB store complex numbers: records of "r" and "i", or "real" and "imag".
bool is_complex(hid_t type) {
  const auto has = [&](const char* first, const char* second) {
    return H5Tget_member_index(type, first) == 0 && H5Tget_member_index(type, second) == 1;
  };
  return H5Tget_nmembers(type) == 2 && (has("r", "i") || has("real", "imag"));
}

/// As h5py stores NumPy's dates and times.
bool is_numpy_date(hid_t type) {
  char* const tag = H5Tget_tag(type);
  if (tag == nullptr) return false;
  const std::string text = tag;
  H5free_memory(tag);
  return text.starts_with("NUMPY:datetime64") || text.starts_with("NUMPY:timedelta64");
}

hid_t integer_of(std::size_t bytes, bool has_sign) {
  switch (bytes) {
    case 1:
      return has_sign ? H5T_STD_I8LE : H5T_STD_U8LE;
    case 2:
      return has_sign ? H5T_STD_I16LE : H5T_STD_U16LE;
    case 4:
      return has_sign ? H5T_STD_I32LE : H5T_STD_U32LE;
    default:
      return has_sign ? H5T_STD_I64LE : H5T_STD_U64LE;
  }
}

}  // namespace

std::optional<std::string> element_name(hid_t type) {
  const std::size_t bytes = H5Tget_size(type);
  const std::string bits = std::to_string(8 * bytes);
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) return std::nullopt;
      return (H5Tget_sign(type) == H5T_SGN_NONE ? "uint" : "int") + bits;
    case H5T_FLOAT:
      if (bytes != 4 && bytes != 8 && !(bytes == 2 && is_half(type))) return std::nullopt;
      return "float" + bits;
    case H5T_ENUM:
      if (is_numpy_bool(type)) return "bool";
      return element_name(base_of(type).get());
    default:
      return std::nullopt;
  }
}

std::string type_text(hid_t type) {
  const std::string bits = std::to_string(8 * H5Tget_size(type));
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
    case H5T_ENUM:
      return "integers of " + bits + " bits";
    case H5T_FLOAT:
      return "floats of " + bits + " bits in another format than IEEE 754";
    case H5T_STRING:
      return "text";
    case H5T_COMPOUND:
      return is_complex(type) ? "complex numbers" : "records";
    case H5T_VLEN:
      return "lists of different lengths";
    case H5T_ARRAY:
      return "arrays in an array";
    case H5T_REFERENCE:
      return "references";
    case H5T_TIME:
      return "dates";
    case H5T_BITFIELD:
      return "bit fields";
    case H5T_OPAQUE:
      return is_numpy_date(type) ? "dates" : "opaque bytes";
    default:
      return "an unknown type";
  }
}

hdf5::TypeHandle sent_type(hid_t type) {
  if (H5Tget_class(type) == H5T_ENUM) return sent_type(base_of(type).get());
  const std::size_t bytes = H5Tget_size(type);
  const auto copy = [](hid_t standard) { return own<hdf5::TypeHandle>(H5Tcopy(standard), "copy a type"); };
  if (H5Tget_class(type) == H5T_INTEGER) return copy(integer_of(bytes, H5Tget_sign(type) != H5T_SGN_NONE));
  if (H5Tget_class(type) == H5T_FLOAT && bytes == 4) return copy(H5T_IEEE_F32LE);
  if (H5Tget_class(type) == H5T_FLOAT && bytes == 8) return copy(H5T_IEEE_F64LE);
  auto sent = copy(type);
  check(H5Tset_order(sent.get(), H5T_ORDER_LE), "choose the byte order");
  return sent;
}

std::vector<std::string> value_names(hid_t type) {
  if (H5Tget_class(type) != H5T_ENUM || is_numpy_bool(type)) return {};
  return all_value_names(type);
}

}  // namespace octavo::dataset_file
