# SPDX-License-Identifier: BSD-3-Clause
"""The loaded library: calls that raise exceptions, handles that are destroyed, arrays as views."""

from __future__ import annotations

import ctypes as C
import importlib
import os
import signal
import sys
import sysconfig
import threading
import warnings
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, Callable, Optional, Union, cast

import numpy as np

from . import _api as api
from ._sentences import in_python


class FighterError(Exception):
    """An error of the library, with its sentence.

    Attributes
    ----------
    status : str
        Name of the status, such as ``"FGT_E_DATA"``.
    """

    status = ''


class DataError(FighterError, ValueError):
    """Data, an argument, a shape or a file that cannot be used."""


class NameNotFoundError(FighterError, KeyError):
    """A column, layer or other name that does not exist, or that is taken."""

    def __str__(self) -> str: # KeyError would show the sentence in quotes
        return str(self.args[0])


class StateError(FighterError, RuntimeError):
    """A call that is not possible now, such as a prediction before the training."""


class FileError(FighterError, OSError):
    """A file that the operating system refused."""


class OutOfMemoryError(FighterError, MemoryError):
    """No memory."""


class NonfiniteError(FighterError, FloatingPointError):
    """NaN or infinity in a loss, a gradient or weights."""


class UnsupportedError(FighterError, NotImplementedError):
    """A function that this build, layer or table does not have."""


class FighterWarning(UserWarning):
    """A warning of the library, for example of lines that were left out."""


_ERRORS: dict[int, type[FighterError]] = {
    api.FGT_E_NAME: NameNotFoundError, api.FGT_E_STATE: StateError, api.FGT_E_IO: FileError,
    api.FGT_E_NOMEM: OutOfMemoryError, api.FGT_E_NONFINITE: NonfiniteError,
    api.FGT_E_UNSUPPORTED: UnsupportedError}


class _Library:
    """Functions with their types, made when they are first used."""

    def __init__(self) -> None:
        # A named library, the one of the wheel, or the one of the system.
        named = os.environ.get('FIGHTER_LIBRARY', '')
        folders = [Path(__file__).parents[1], Path(sysconfig.get_paths()['platlib'])]
        inside = [str(p) for f in folders for p in f.glob('.fighter.mesonpy.libs/libfighter-python.*')]
        self._dll = C.CDLL(named or next(iter(inside), f'libfighter-tasks.so.{api.FGT_VERSION_MAJOR}'))

    def __getattr__(self, name: str) -> Any:
        function = self._dll[name]
        types: Any = api.FUNCTIONS[name]
        function.restype, *function.argtypes = types
        setattr(self, name, function)
        return function


lib = _Library()


def path_bytes(path: Union[str, bytes, os.PathLike[Any]]) -> bytes:
    """A path for C, which ends names at the character NUL."""
    coded = os.fsencode(path)
    if b'\0' in coded:
        raise ValueError(f'{path!r}: a path cannot have the character NUL')
    return coded


def get_version() -> str:
    """Version of the loaded library."""
    number = lib.fgt_version()
    return f'{number // 10000}.{number // 100 % 100}.{number % 100}'


def raise_error(status: int, sentence: str) -> None:
    """Raises the exception of a status."""
    error = _ERRORS.get(status, DataError)(in_python(sentence))
    error.status = lib.fgt_status_get_name(status).decode()
    raise error


def warn(sentence: str) -> None:
    """Warns with the line of the host's code that called the package."""
    level, frame = 1, cast(Any, sys._getframe(1))
    while frame is not None and frame.f_globals.get('__name__', '').startswith(__package__):
        level, frame = level + 1, frame.f_back
    warnings.warn(sentence, FighterWarning, stacklevel=level)


class _Thread(threading.local):
    """What happened in the calls of a thread."""

    raised: Optional[BaseException] = None #: exception of a callback or of a handler of signals
    inside = False #: a callback is running, which may raise


_own = _Thread()
_SIGNALS = sorted(int(number) for number in signal.valid_signals())
# The function behind signal.getsignal(), which takes 20 times as long.
_get_handler: Callable[[int], Any] = importlib.import_module('_signal').getsignal


def take_raised() -> Optional[BaseException]:
    """The exception of a callback, or of a handler of signals, in the last call of this thread."""
    raised, _own.raised = _own.raised, None
    return raised


class Context:
    """A context of the library, with its threads.

    Results do not depend on the number of threads. A context serves one thread at a time; calls of other
    threads wait.

    Parameters
    ----------
    threads : int
        Number of threads; 0: one for each processor that this process may use.
    """

    def __init__(self, threads: int = 0) -> None:
        self.lock = threading.RLock()
        self.threads = threads or len(os.sched_getaffinity(0))
        self._messages: list[str] = []
        self.broken = False # the process forked while another thread was in a call
        self._guarded: weakref.WeakSet[Callable[..., Any]] = weakref.WeakSet() # callbacks that may stop a call
        self._calls = 0 # calls that have not returned; more than one if a callback calls
        self.dying: list[tuple[Any, C.c_void_p]] = []
        self.kept: list[Any] = [] # functions that the library may call as long as the context lives
        messages = self._messages # the callback must not keep the context alive

        def log(user: Any, level: int, message: bytes) -> None:
            if level >= api.FGT_LOG_WARN:
                messages.append(message.decode('utf-8', 'replace'))

        self._log = api.fgt_log_fn(log) # the library keeps a pointer to it
        self.pointer = C.c_void_p()
        opts = api.fgt_context_opts(threads=self.threads, log=self._log)
        status = lib.fgt_context_create(C.byref(opts), C.byref(self.pointer)).value
        if status:
            raise_error(status, f'context: it cannot be made with {self.threads} threads')
        _contexts.add(self)
        # At the end of the process threads may still be in a call: nothing is destroyed then.
        weakref.finalize(self, lib.fgt_context_destroy, C.byref(self.pointer)).atexit = False

    def call(self, name: str, *args: Any) -> None:
        """Calls a function that returns a status; raises its error, shows its warnings.

        The interpreter's lock is free during the call.
        """
        with self.lock:
            if self.broken:
                raise StateError(f'{name}: another thread was in a call when this process was forked, so the object '
                                 'cannot be used here; make or load it anew, or fork between the calls')
            self._calls += 1
            try:
                with self.interrupts():
                    status = getattr(lib, name)(*args).value
            finally:
                self._calls -= 1
            sentence = lib.fgt_context_get_error(self.pointer).decode('utf-8', 'replace') if status else ''
            messages, self._messages[:] = list(self._messages), []
            raised = take_raised()
        self.collect()
        for message in messages:
            warn(in_python(message))
        if raised is not None:
            raise raised
        if status:
            raise_error(status, sentence)

    def fail(self, status: int, sentence: bytes) -> None:
        """Raises the error of something that keeps sentences of its own, such as a workspace."""
        raise_error(status, sentence.decode('utf-8', 'replace'))

    def collect(self) -> None:
        """Destroys handles that nothing refers to any more, unless a call is under way, which will do so."""
        owned = self.lock._is_owned() # type: ignore[attr-defined]
        if not self.dying or owned and self._calls:
            return
        try:
            if owned or self.lock.acquire(blocking=False):
                while not self._calls:
                    destroy, pointer = self.dying.pop(0) # in the order of their ends, owners last
                    destroy(C.byref(pointer))
        except IndexError: # none is left; the garbage collector may have called this function within the loop
            pass
        finally: # a handler of signals may raise between any two of these lines
            if not owned and self.lock._is_owned(): # type: ignore[attr-defined]
                self.lock.release()

    def guard(self, function: Callable[..., Any], stop: Any) -> Callable[..., Any]:
        """A callback whose exception ends the call with `stop`; the call then raises the exception."""

        def guarded(*args: Any) -> Any:
            try:
                if _own.raised is None:
                    _own.inside = True
                    result = function(*args)
                    _own.inside = False
                    return result
            except BaseException as error:
                _own.inside, _own.raised = False, error
            return stop

        self._guarded.add(guarded)
        return guarded

    def interrupts(self) -> Any:
        """A block in which exceptions of handlers of signals, such as Ctrl-C, do not get lost in callbacks."""
        return _interrupts() if self._guarded and threading.current_thread() is threading.main_thread() \
            else nullcontext()

    def after_fork(self) -> None:
        """In a child: the thread that held the lock is gone, unless it is this one."""
        if self.lock.acquire(blocking=False):
            self.lock.release()
        else:
            self.lock, self.broken, self._calls = threading.RLock(), self._calls > 0, 0


@contextmanager
def _interrupts() -> Iterator[None]:
    """Keeps exceptions of handlers of signals for the next guarded callback, which stops the call.

    Otherwise Python could raise them before a callback has begun, and C would lose them.
    """
    handlers = {number: handler for number in _SIGNALS if callable(handler := _get_handler(number))}
    inside, _own.inside, running = _own.inside, False, True

    def keep(number: int, frame: Any) -> None:
        try:
            handlers[number](number, frame)
        except BaseException as error:
            if _own.inside or not running:
                raise
            _own.raised = error

    try:
        for number in handlers:
            signal.signal(number, keep)
        yield
    finally:
        _own.inside = inside
        try:
            for number, handler in handlers.items():
                if _get_handler(number) is keep: # the callbacks set no other
                    signal.signal(number, handler)
        finally: # a handler that is back may raise
            running = False


_contexts: weakref.WeakSet[Context] = weakref.WeakSet()


def _after_fork() -> None:
    for context in list(_contexts):
        context.after_fork()


os.register_at_fork(after_in_child=_after_fork)


class Handle:
    """Something that the library made, and that a function destroys before its owner and the context end."""

    def __init__(self, context: Context, kind: str, owner: Optional[Handle] = None) -> None:
        self.context = context
        self.pointer = C.c_void_p()
        # Context and owner are arguments, so that they live until the handle is destroyed.
        end = weakref.finalize(self, _destroy, getattr(lib, f'{kind}_destroy'), self.pointer, context, owner)
        end.atexit = False

    @property
    def out(self) -> Any:
        """The argument of a function that makes it."""
        return C.byref(self.pointer)


def _destroy(destroy: Any, pointer: C.c_void_p, context: Context, owner: Optional[Handle]) -> None:
    context.dying.append((destroy, pointer))
    context.collect()


_DTYPES = {np.dtype('float32'): api.FGT_DTYPE_F32, np.dtype('float64'): api.FGT_DTYPE_F64,
           np.dtype('int32'): api.FGT_DTYPE_I32, np.dtype('int64'): api.FGT_DTYPE_I64}
_NAMES: dict[int, Any] = {number: dtype for dtype, number in _DTYPES.items()}


def view(array: np.ndarray[Any, Any]) -> Any:
    """A view of a contiguous array, which must outlive it."""
    if not array.flags.c_contiguous or array.dtype not in _DTYPES:
        raise TypeError('array: its elements must be contiguous numbers (got '
                        f'{array.dtype}, need float32, float64, int32 or int64)')
    if array.ndim > api.FGT_MAX_RANK:
        raise ValueError(f'array: too many axes (got {array.ndim}, need at most {api.FGT_MAX_RANK})')
    out = api.fgt_view.__new__(api.fgt_view) # without the check of keywords, because every pass makes views
    # Half of the time of `array.ctypes.data`, which reads all properties of the array.
    direct = array.flags.writeable and array.size
    out.data = C.addressof(C.c_char.from_buffer(cast(Any, array))) if direct else array.ctypes.data
    out.rank, out.dtype = array.ndim, _DTYPES[array.dtype]
    out.shape[:array.ndim] = array.shape
    out.array = array # as long as the view lives
    return out


def array_of(v: Any, owner: Any, writeable: bool = False) -> np.ndarray[Any, Any]:
    """An array on the memory of a view, without a copy. It keeps `owner`, whose memory it is, alive."""
    shape, dtype = tuple(v.shape[:v.rank]), _NAMES[v.dtype]
    size = int(np.prod(shape))
    if not size:
        return np.empty(shape, dtype)
    buffer: Any = (C.c_char * (size * dtype.itemsize)).from_address(v.data)
    buffer._owner = owner
    array: np.ndarray[Any, Any] = np.frombuffer(buffer, dtype).reshape(shape)
    array.flags.writeable = writeable
    return array


def texts(names: Optional[Iterable[Any]]) -> Any:
    """An array of C strings; None or empty: NULL."""
    listed = [str(n).encode() for n in names] if names is not None else []
    for name in listed:
        if b'\0' in name:
            raise ValueError(f'{name!r}: a name cannot have the character NUL')
    return (C.c_char_p * len(listed))(*listed) if listed else None


def text(word: Optional[bytes]) -> Optional[str]:
    """The string of a C string; NULL: None."""
    return None if word is None else word.decode('utf-8', 'replace')
