"""A process that imports slow modules once and forks workers on request."""

import gc
import json
import os
import socket
import sys

from . import sandbox


def _import_all(names):
    for name in names:
        __import__(name)


def _become_worker(parent, message, descriptors):
    """Runs a worker in the child: sets up descriptors 3, 4 and the log, then serves requests."""
    from .service import Service

    os.setpgid(0, 0)
    sandbox.die_with_parent(parent)
    # Duplicate to high numbers first: a descriptor may already be 3 or 4.
    requests, answers, log = (os.dup2(fd, 100 + at) for at, fd in enumerate(descriptors))
    for source, target in ((requests, 3), (answers, 4), (log, 1), (log, 2)):
        os.dup2(source, target, inheritable=False if target > 2 else True)
    os.closerange(5, 200)
    os.environ.update(message.get("environment", {}))
    memory = message.get("memory", 0)
    cut = sandbox.cut_network()
    sandbox.limit_memory(memory)
    Service(3, 4, message.get("folder", ""), memory, cut).run()


class ForkServer:
    def __init__(self, control):
        self.control = socket.socket(fileno=control)

    def _send(self, message):
        self.control.send(json.dumps(message).encode())

    def serve(self):
        try:
            from .task import warm_up

            warm_up()
        except Exception as error:
            self._send({"error": f"{type(error).__name__}: {error}"})
            return
        self._send({"ready": True, "threads": len(os.listdir("/proc/self/task"))})
        while True:
            data, descriptors, _, _ = socket.recv_fds(self.control, 1 << 16, 3)
            if not data:
                return
            message = json.loads(data)
            if message["do"] == "fork":
                self._fork(message, descriptors)
            elif message["do"] == "wait":
                self._wait(message["pid"])

    def _fork(self, message, descriptors):
        try:
            _import_all(message.get("import", []))
        except Exception as error:
            self._send({"error": f"{type(error).__name__}: {error}"})
            return
        finally:
            gc.collect()
            gc.freeze()  # a collection in a child would touch, and thus copy, every page
        parent = os.getpid()
        child = os.fork()
        if child == 0:
            status = 70
            try:
                self.control.close()
                _become_worker(parent, message, descriptors)
                status = 0
            except BaseException:
                sys.excepthook(*sys.exc_info())
            finally:
                os._exit(status)
        try:
            os.setpgid(child, child)  # also here: the group must exist before it is killed
        except OSError:
            pass  # it has already ended
        for descriptor in descriptors:
            os.close(descriptor)
        self._send({"pid": child})

    def _wait(self, child):
        """Waits for a worker and reports how it ended. Its pid is not reused before."""
        _, status, usage = os.wait4(child, 0)
        cpu = int((usage.ru_utime + usage.ru_stime) * 1e9)
        self._send({"status": status, "cpu_ns": cpu, "rss": usage.ru_maxrss * 1024})
