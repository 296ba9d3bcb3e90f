"""Plain kernels for Python references: the modules of hone_plain_kernel.py."""
