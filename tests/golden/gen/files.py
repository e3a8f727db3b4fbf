# SPDX-License-Identifier: BSD-3-Clause
"""Golden files with gradients of whatever a case computes."""

from pathlib import Path

import autograd.numpy as np
import numpy
from autograd import grad

from tensor_file import save

OWN = "variants.py (double, gradients by autograd)"


class Cases:
    def __init__(self, directory):
        self.directory, self.rng = Path(directory), numpy.random.default_rng(20260)

    def draw(self, *shape, scale=1.0):
        return (scale * self.rng.standard_normal(shape)).astype(numpy.float32).astype(float)

    def weight(self, fan_in, *shape):
        return self.draw(*shape, scale=fan_in**-0.5)

    def write(self, case, layer, meta, f, inputs, params, masks=None, others=None):
        """f(inputs, params) -> output; inputs and params are dicts whose gradients are stored, as far as the
        keys of `inputs` are real."""
        inputs = dict(inputs)
        y = f(inputs, params)
        dy = self.draw(*numpy.shape(y))
        real = {k: v for k, v in inputs.items() if numpy.asarray(v).dtype.kind == "f"}
        loss = lambda both: np.sum(f({**inputs, **both[0]}, both[1]) * dy)
        gi, gp = grad(loss)((real, params)) if real or params else ({}, {})
        tensors = dict(inputs)
        tensors.update({"param." + k: v for k, v in params.items()})
        tensors.update(masks or {})
        tensors.update({"output": y, "grad_output": dy})
        tensors.update({"grad." + k: v for k, v in gi.items()})
        tensors.update({"grad.param." + k: v for k, v in gp.items()})
        tensors.update(others(inputs, params) if others else {})
        scale = max((numpy.abs(v).max() for k, v in tensors.items() if k.startswith("grad.")), default=0)
        zero = [
            k[5:]
            for k, v in tensors.items()
            if k.startswith("grad.") and numpy.abs(v).max() <= 1e-12 * scale
        ]
        meta = {"case": case, "layer": layer, "source": OWN, **meta}
        if zero:
            meta["zero_gradients"] = ", ".join(zero)
        save(self.directory / (case + ".safetensors"), meta, tensors)
