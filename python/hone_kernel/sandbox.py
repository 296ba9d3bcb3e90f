"""Confines a kernel: no network, no files but its own, no processes. Defences that the system lacks
are skipped and reported."""

import ctypes
import errno
import os
import platform
import resource
import signal
import struct

_libc = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG = 1
_PR_SET_NO_NEW_PRIVS = 38
_PR_SET_SECCOMP = 22
_PR_SET_CHILD_SUBREAPER = 36
_CLONE_NEWUSER = 0x10000000
_CLONE_NEWNET = 0x40000000

_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_WRITE_FILE = 1 << 1
_TRUNCATE = 1 << 14
# Write, remove, create and rename; later versions added the last two.
_ALL_WRITES = _WRITE_FILE | sum(1 << bit for bit in range(4, 13))
_WRITES_OF_VERSION = {1: _ALL_WRITES, 2: _ALL_WRITES | 1 << 13}
_DEVICES = ("/dev/null", "/dev/zero", "/dev/tty")


def die_with_parent(parent):
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(127)


def keep_orphans():
    """Makes orphaned descendants children of this process, so that none escapes."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def has_children():
    """Reaps ended children. Returns true if any child is still running."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
    except ChildProcessError:
        return False
    return True


_MAX_FILE_BYTES = 256 << 20


def limit_memory(limit):
    """Limits memory to `limit` bytes above what is mapped: torch alone maps gigabytes."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_MAX_FILE_BYTES, _MAX_FILE_BYTES))
    if limit:
        with open("/proc/self/statm") as file:
            mapped = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (mapped + limit, mapped + limit))


def _write(path, text):
    with open(path, "w") as file:
        file.write(text)


def cut_network():
    """Enters an empty network namespace. Returns true on success. Needs a single thread."""
    user, group = os.getuid(), os.getgid()
    if _libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) != 0:
        return False
    try:
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{user} {user} 1")
        _write("/proc/self/gid_map", f"{group} {group} 1")
    except OSError:
        pass  # the files are accessible without a map, too
    return True


def only_write_below(folders):
    """Forbids to write, create or remove files outside of these folders. A further call can only
    restrict more. Returns true on success."""
    version = _libc.syscall(_LANDLOCK_CREATE, None, 0, 1)
    if version < 1:
        return False
    writes = _WRITES_OF_VERSION.get(version, _ALL_WRITES | 1 << 13 | _TRUNCATE)
    attribute = struct.pack("=Q", writes)
    rules = _libc.syscall(_LANDLOCK_CREATE, attribute, len(attribute), 0)
    if rules < 0:
        return False
    allowed = [(folder, writes) for folder in folders]
    allowed += [(path, writes & (_WRITE_FILE | _TRUNCATE)) for path in _DEVICES]
    for path, access in allowed:
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        _libc.syscall(_LANDLOCK_ADD, rules, 1, struct.pack("=Qi", access, place), 0)
        os.close(place)
    _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    worked = _libc.syscall(_LANDLOCK_RESTRICT, rules, 0) == 0
    os.close(rules)
    return worked


# x86-64 numbers of calls for processes, programs, sockets, signals, timers, processors, memory that
# outlives the process, and inspecting other processes.
_FORBIDDEN = {
    "fork": 57, "vfork": 58, "execve": 59, "execveat": 322, "socket": 41, "connect": 42,
    "socketpair": 53, "kill": 62, "tkill": 200, "rt_sigqueueinfo": 129, "rt_tgsigqueueinfo": 297,
    "pidfd_send_signal": 424, "pidfd_getfd": 438, "alarm": 37, "setitimer": 38,
    "timer_create": 222, "timer_settime": 223, "mq_open": 240, "mq_notify": 244, "shmget": 29,
    "shmat": 30, "msgget": 68, "semget": 64, "sched_setaffinity": 203, "sched_setscheduler": 144,
    "sched_setattr": 314, "setpriority": 141, "ptrace": 101, "process_vm_readv": 310,
    "process_vm_writev": 311, "mount": 165, "unshare": 272, "setns": 308, "bpf": 321,
    "perf_event_open": 298, "io_uring_setup": 425, "userfaultfd": 323, "add_key": 248,
    "request_key": 249, "keyctl": 250,
}  # fmt: skip
_CLONE, _CLONE3, _CLONE_THREAD = 56, 435, 0x10000
_TGKILL, _FCNTL = 234, 72
# Stopping, aborting and the thread library. SIGCONT could undo a stop.
_OWN_SIGNALS = (signal.SIGSTOP, signal.SIGABRT, 32, 33)
# F_SETOWN, F_SETSIG, F_SETOWN_EX and F_NOTIFY: files that send signals.
_SIGNALLING = (8, 10, 15, 1026)
_ALLOW = 0x7FFF0000
_FAIL = 0x00050000
_REFUSE = _FAIL | errno.EPERM
_LOAD, _EQUAL, _SET, _ABOVE, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06


def _by_value(call, argument, values, fitting, other):
    """Decides a call by one of its arguments."""
    steps = [(_LOAD, 0, 0, 16 + 8 * argument)]
    for value in values:
        steps += [(_EQUAL, 0, 1, value), (_RETURN, 0, 0, fitting)]
    steps += [(_RETURN, 0, 0, other)]
    return [(_EQUAL, 0, len(steps), call), *steps]


def _filter():
    """Returns a seccomp program that allows threads but no processes."""
    program = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, 0xC000003E), (_RETURN, 0, 0, _REFUSE)]
    program += [(_LOAD, 0, 0, 0), (_ABOVE, 0, 1, 0x40000000), (_RETURN, 0, 0, _REFUSE)]
    for number in _FORBIDDEN.values():
        program += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _REFUSE)]
    program += _by_value(_TGKILL, 2, _OWN_SIGNALS, _ALLOW, _REFUSE)
    program += _by_value(_FCNTL, 1, _SIGNALLING, _REFUSE, _ALLOW)
    # Without clone3 the C library uses clone, whose flags a filter can check.
    program += [(_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _FAIL | errno.ENOSYS)]
    program += [(_EQUAL, 0, 3, _CLONE), (_LOAD, 0, 0, 16), (_SET, 1, 0, _CLONE_THREAD)]
    program += [(_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("=HBBI", *step) for step in program), len(program)


def can_refuse_processes():
    return platform.machine() == "x86_64" and os.path.exists("/proc/sys/kernel/seccomp")


def refuse_processes():
    """Forbids new processes, programs and sockets. Returns true on success."""
    if not can_refuse_processes():
        return False
    program, length = _filter()
    text = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("=H6xQ", length, ctypes.addressof(text))
    _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    return _libc.prctl(_PR_SET_SECCOMP, 2, header, 0, 0) == 0


def offered():
    """Returns the defences that the system supports."""
    landlock = _libc.syscall(_LANDLOCK_CREATE, None, 0, 1) >= 1
    return ["landlock"] * landlock + ["seccomp"] * can_refuse_processes()


def describe(network):
    """Describes the sandbox for the reply to hello."""
    parts = (["namespace"] if network else []) + offered()
    if not network:
        parts.append("the network is not cut off before the kernel is loaded")
    return ", ".join(parts)
