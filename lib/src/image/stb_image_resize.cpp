// The implementation of stb_image_resize, compiled once and without our warnings.
#define STB_IMAGE_RESIZE_IMPLEMENTATION
#define STBIR_ASSERT(condition) static_cast<void>(0)
#include <stb_image_resize.h>
