"""The parts of the Python kernel worker; docs/kernel-worker.md has the protocol."""
