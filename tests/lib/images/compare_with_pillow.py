"""Compares Octavo's samples with Pillow's results for the same files; exits with 77 if Pillow is missing.

usage: compare_with_pillow.py LIST RAW WIDTH HEIGHT

LIST names one image file per line. RAW holds uint8 [N,3,HEIGHT,WIDTH], center-cropped and resized. Prints the mean and
the largest of the images' mean absolute differences, and fails if any image exceeds 2 levels.
"""

import sys

try:
    import numpy
    from PIL import Image
except ImportError as error:
    print("missing:", error)
    sys.exit(77)

LARGEST_MEAN_DIFFERENCE = 2.0


def center(image, width, height):
    """The box of the largest centered region with aspect ratio width : height, rounded to nearest, halves up."""
    box_width, box_height = image.size
    if box_width * height >= box_height * width:
        box_width = min(box_width, max(1, (2 * box_height * width + height) // (2 * height)))
    else:
        box_height = min(box_height, max(1, (2 * box_width * height + width) // (2 * width)))
    left, top = (image.size[0] - box_width) // 2, (image.size[1] - box_height) // 2
    return left, top, left + box_width, top + box_height


def pillow_sample(path, width, height):
    with Image.open(path) as image:
        image = image.convert("RGB")
        image = image.crop(center(image, width, height)).resize((width, height), Image.BILINEAR)
        return numpy.asarray(image).transpose(2, 0, 1)


def main():
    width, height = int(sys.argv[3]), int(sys.argv[4])
    with open(sys.argv[1], encoding="utf-8") as lines:
        paths = lines.read().splitlines()
    samples = numpy.fromfile(sys.argv[2], numpy.uint8).reshape(len(paths), 3, height, width)
    differences = []
    for path, sample in zip(paths, samples):
        expected = pillow_sample(path, width, height)
        differences.append(numpy.abs(sample.astype(int) - expected).mean())
    print(f"{len(paths)} images: mean difference {numpy.mean(differences):.3f}, largest {max(differences):.3f} levels")
    worst = paths[int(numpy.argmax(differences))]
    if max(differences) > LARGEST_MEAN_DIFFERENCE:
        sys.exit(f"{worst} differs by more than the limit")


main()
