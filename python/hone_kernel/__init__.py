"""The Python kernel worker. The protocol is in docs/kernel-worker.md."""
