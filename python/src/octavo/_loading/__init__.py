"""The parts of loaders: options, sampling, iteration, states, and batches for each framework."""
