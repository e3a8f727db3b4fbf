# SPDX-License-Identifier: BSD-3-Clause
"""The bar of a training."""

from __future__ import annotations

import sys
from typing import Any, Optional

BAR, REDRAW = 24, 0.1 # width of the bar; seconds between two updates


def _can_show() -> bool:
    """Whether the standard error is a terminal or the output of a notebook."""
    err = sys.stderr
    return err is not None and (err.isatty() or type(err).__module__.startswith('ipykernel'))


class Progress:
    """A callback for trainings: shows a bar, and notes the losses of each epoch.

    Python runs it after every step, so Ctrl-C raises KeyboardInterrupt within it.

    Parameters
    ----------
    unit : str
        Plural noun for samples, such as ``"texts"``.
    shown : bool, optional
        Whether there is a bar. None: on a terminal and in a notebook.

    Attributes
    ----------
    history : list of dict
        For each epoch its number and the losses; the validation loss is NaN without validation.
    """

    def __init__(self, unit: str, shown: Optional[bool] = None) -> None:
        self.unit, self.shown = unit, _can_show() if shown is None else shown
        self.history: list[dict[str, Any]] = []
        self._last = -REDRAW

    def __call__(self, user: Any, pointer: Any) -> int:
        """An fgt_progress_fn."""
        p = pointer.contents
        if p.epoch_done:
            self.history.append({'epoch': p.epoch, 'loss': p.loss, 'validation_loss': p.validation, 'lr': p.lr,
                                 'seconds': p.seconds})
        if self.shown and (p.epoch_done or p.seconds >= self._last + REDRAW):
            self._last = p.seconds
            self._draw(p)
        return 0

    def _draw(self, p: Any) -> None:
        done = (p.epoch - 1) * p.samples + p.sample
        rate = done / p.seconds if p.seconds > 0 else 0
        left = (p.epochs * p.samples - done) / rate if rate else 0
        bar = '#' * int(BAR * (p.sample / p.samples if p.samples else 1))
        checked = f'  validation {p.validation:.4f}' if p.validation == p.validation else ''
        print(f'\r  {p.epoch:3}/{p.epochs} [{bar:.<{BAR}}]  loss {p.loss:<8.4g}{checked} {rate:6.0f} {self.unit}/s'
              f'  ETA {left:3.0f} s \x1b[K', end='', file=sys.stderr, flush=True)

    def close(self) -> None:
        """Ends the line of the bar."""
        if self.shown and self._last >= 0:
            print(file=sys.stderr)
