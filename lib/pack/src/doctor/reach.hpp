// How near unrelated images come to an image.
#pragma once

#include <cstddef>
#include <vector>

namespace octavo::doctor {

/// The images of a dataset are not equally different: white trousers on black are near each other, photographs are not.
/// The reach of an image is the distance within which 5 % of 256 images, evenly chosen from all, are. A copy is much
/// nearer than that, wherever the image is.
///
/// The numbers, in [0, count), of the images that the others are compared with.
std::vector<std::size_t> reference_numbers(std::size_t count);

/// The reach, from the squared distances to the references, which are reordered. Of few images, 8 rather than 5 % are
/// near, because 5 % may all be copies; of fewer than 16, the reach is a usual one. It is never below that of a dense
/// dataset.
double reach_of(std::vector<double>& squared_distances);

}  // namespace octavo::doctor
