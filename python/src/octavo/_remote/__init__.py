"""Reads dataset files that are not on this machine, with obstore, fsspec or an object of the user's.

- `byte_source`: what a dataset is opened from; finds the client for a URL or an object.
- `addresses`: recognizes URLs, and shows them without secrets.
- `clients`: fetch ranges with one library each; `worker_process` runs one in another process.
- `problems`: what exceptions of these libraries mean, and what to do about them.
- `fetching`: the threads that fetch what the readers of an open dataset ask for.
"""
