"""What packing and appending make of Python datasets: their splits, samples, images, labels and names."""
