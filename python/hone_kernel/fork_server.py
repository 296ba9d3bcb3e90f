"""A process that imports slow modules once and forks workers on request."""

import gc
import json
import os
import socket
import sys
import time

from . import sandbox


def _import_all(names):
    for name in names:
        __import__(name)


def _become_worker(middle, message, descriptors):
    """Runs a worker: sets up descriptors 3 to 6 and the log, then serves requests."""
    from .service import Service

    os.setpgid(0, 0)
    while os.getppid() == middle:  # it ends at once
        time.sleep(0.0002)
    sandbox.die_with_parent(message["parent"])
    # Duplicate to high numbers first: a descriptor may already be one of 3 to 6.
    requests, answers, log, *pages = (os.dup2(fd, 100 + at) for at, fd in enumerate(descriptors))
    places = [(requests, 3), (answers, 4), (log, 1), (log, 2)]
    places += [(fd, 5 + at) for at, fd in enumerate(pages)]
    for source, target in places:
        os.dup2(source, target, inheritable=False if target > 2 else True)
    os.closerange(5 + len(pages), 200)
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
            data, descriptors, _, _ = socket.recv_fds(self.control, 1 << 16, 5)
            if not data:
                return
            message = json.loads(data)
            if message["do"] == "fork":
                self._fork(message, descriptors)

    def _fork(self, message, descriptors):
        try:
            _import_all(message.get("import", []))
        except Exception as error:
            self._send({"error": f"{type(error).__name__}: {error}"})
            return
        finally:
            gc.collect()
            gc.freeze()  # a collection in a child would touch, and thus copy, every page
        reader, writer = os.pipe()
        middle = os.fork()
        if middle == 0:
            self._fork_again(message, descriptors, writer)
        os.close(writer)
        os.waitpid(middle, 0)  # then the worker is a child of the nearest subreaper, hone
        with os.fdopen(reader, "rb") as answer:
            child = int(answer.read())
        for descriptor in descriptors:
            os.close(descriptor)
        self._send({"pid": child})

    def _fork_again(self, message, descriptors, writer):
        """Forks the worker, reports its pid, and ends."""
        status = 70
        try:
            middle = os.getpid()
            child = os.fork()
            if child == 0:
                self.control.close()
                os.close(writer)
                _become_worker(middle, message, descriptors)
            else:
                os.setpgid(child, child)  # also here: the group must exist before it is killed
                os.write(writer, str(child).encode())
            status = 0
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(status)
