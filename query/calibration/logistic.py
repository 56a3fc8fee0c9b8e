"""Two small logistic fits by Newton's method: no library for half a dozen weights.

`fit_decision` is ordinary logistic regression; `fit_choice` the conditional logit (McFadden 1974):
which one of several is chosen.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]

STEPS = 50
DONE = 1e-8  # the size of a step that changes nothing any more
# Ridge on standardised features: there is little to regularise, but separable data must end too.
RIDGE = 1e-3


def fit_decision(features: Array, labels: Array, weights: Array) -> tuple[float, Array]:
    """Bias and weights of features (n, k), for labels 0 and 1 (n,)."""
    spread = features.std(axis=0) + 1e-9
    design = np.column_stack([np.ones(len(features)), features / spread])
    ridge = np.full(design.shape[1], RIDGE)
    ridge[0] = 0.0

    def slope(beta: Array) -> tuple[Array, Array]:
        probability = 1 / (1 + np.exp(-np.clip(design @ beta, -30, 30)))
        gradient = design.T @ (weights * (probability - labels)) / weights.sum()
        curvature = weights * np.maximum(probability * (1 - probability), 1e-9) / weights.sum()
        return gradient + ridge * beta, design.T @ (curvature[:, None] * design) + np.diag(ridge)

    beta = newton(slope, design.shape[1])
    return float(beta[0]), beta[1:] / spread


def fit_choice(features: Array, present: Flags, chosen: Flags, weights: Array) -> Array:
    """Weights ≥ 0 of features (n, choices, k). Of each row one is `chosen`; `present` (n, choices)
    tells what can be. A feature whose weight would be negative is left out."""
    used = list(range(features.shape[2]))
    while used:
        beta = fit_free_choice(features[:, :, used], present, chosen, weights)
        if beta.min() >= 0:
            result = np.zeros(features.shape[2])
            result[used] = beta
            return result
        del used[int(beta.argmin())]
    return np.zeros(features.shape[2])


def fit_free_choice(features: Array, present: Flags, chosen: Flags, weights: Array) -> Array:
    spread = features[present].std(axis=0) + 1e-9
    design = features / spread
    target = (design * chosen[:, :, None]).sum(axis=1)

    def slope(beta: Array) -> tuple[Array, Array]:
        share = softmax(np.where(present, design @ beta, -np.inf))
        mean = (share[:, :, None] * design).sum(axis=1)
        gradient = weights @ (mean - target) / weights.sum() + RIDGE * beta
        apart = design - mean[:, None, :]
        curvature = np.einsum("n,nc,nci,ncj->ij", weights, share, apart, apart, optimize=True)
        return gradient, curvature / weights.sum() + RIDGE * np.eye(len(beta))

    return np.asarray(newton(slope, design.shape[2]) / spread)


def softmax(scores: Array) -> Array:
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def newton(slope: Callable[[Array], tuple[Array, Array]], size: int) -> Array:
    """Where the slope is flat. `slope` gives gradient and curvature; steps are bounded."""
    beta = np.zeros(size)
    for _ in range(STEPS):
        gradient, curvature = slope(beta)
        step = np.linalg.solve(curvature, gradient)
        length = float(np.linalg.norm(step))
        beta = beta - step * min(1.0, 2.0 / max(length, DONE))
        if length < DONE:
            break
    return beta
