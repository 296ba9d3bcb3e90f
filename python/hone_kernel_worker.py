"""Runs TileLang kernels and PyTorch references for hone. The protocol is in docs/kernel-worker.md.

  hone_kernel_worker.py                one worker; requests on descriptor 3, replies on 4
  hone_kernel_worker.py --fork-server  forks workers as requested on socket 3
"""

import os
import sys

# Single-threaded while forking; each worker then sets its number of threads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True


def main():
    if sys.argv[1:] == ["--fork-server"]:
        from hone_kernel.fork_server import ForkServer

        ForkServer(3).serve()
    elif not sys.argv[1:]:
        from hone_kernel import sandbox
        from hone_kernel.service import Service

        Service(3, 4, network_cut=sandbox.cut_network()).run()
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
